#include "generators/profile.h"

#include <fmt/format.h>

#include "harness/program/error.h"

namespace uopdiff {

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> table = [] {
    Profile general{"general", "a bit of everything", 5};
    Profile movement{"movement", "chains of pad, shrink, reshape, permute, flip, expand and cat", 4};
    movement.movement = 10, movement.chain = 5, movement.unary = movement.compare = movement.ternary = 0.5;
    movement.reduce = 1.5;
    Profile reduce{"reduce", "several, nested and sibling reduces over one source", 4};
    reduce.reduce = 8, reduce.chain = 4, reduce.binary = 4, reduce.unary = reduce.compare = 1;
    Profile integer{"integer", "division, remainder, shifts and bits with negative numbers", 3};
    integer.integer = 0.9, integer.binary = 7, integer.compare = 2, integer.cast = 0.7, integer.unary = 1;
    Profile special{"special", "inputs of NaN, infinities, zeros of both signs and extremes", 1.5};
    special.special = 0.6, special.unary = 4, special.ternary = 2, special.compare = 2;
    Profile bufferless{"bufferless", "arange and full instead of inputs", 2};
    bufferless.bufferless = 0.8, bufferless.reduce = 4;
    Profile composite{"composite", "products, convolutions, norms, losses, scans and indexing", 2};
    composite.composite = 9, composite.scan = 4, composite.movement = 3;
    Profile neural{"neural", "layers of networks: convolution, pooling, norms, attention, losses", 2};
    neural.featured = 1, neural.integer = 0.1;
    neural.favourites = {"conv",      "conv_transpose", "avg_pool", "max_pool",    "batchnorm",
                         "layernorm", "rms_norm",       "sdpa",     "nll_loss",    "cross_entropy",
                         "linear",    "matmul",         "softmax",  "log_softmax", "gelu"};
    Profile indexing{"indexing", "gather, scatter, sort and selections by computed indices", 2};
    indexing.featured = 1, indexing.bufferless = 0.3, indexing.ternary = 2;
    indexing.favourites = {"gather", "index_select", "scatter", "scatter_reduce", "one_hot", "argmax",
                           "argmin", "argsort",      "sort",    "topk",           "where",   "slice"};
    Profile narrow{"narrow", "8 and 16 bit dtypes, and casts between them and others", 2};
    narrow.unusual = 0.9, narrow.cast = 3, narrow.integer = 0.5, narrow.reduce = 4;
    narrow.others = {DType::f16, DType::f16, DType::f16, DType::bf16,
                     DType::i8,  DType::u8,  DType::i16, DType::u16};
    Profile wide{"wide", "64 bit dtypes and u32", 1.2};
    wide.unusual = 0.9, wide.integer = 0.6;
    wide.others = {DType::f64, DType::i64, DType::u64, DType::u32};
    Profile boundary{"boundary", "results executed, assigned and detached in the middle", 1.5};
    boundary.boundary = 6, boundary.several_outputs = 0.4, boundary.featured = 1;
    boundary.favourites = {"assign", "assign_view", "realize", "detach", "contiguous"};
    return std::vector<Profile>{general,   movement, reduce,   integer, special, bufferless,
                                composite, neural,   indexing, narrow,  wide,    boundary};
  }();
  return table;
}

const Profile& get_profile(const std::string& name) {
  for (const Profile& profile : profiles())
    if (profile.name == name) return profile;
  throw Error(ErrorKind::usage, fmt::format("unknown profile '{}'; known are {}", name, profile_names()));
}

std::string profile_names() {
  std::string names = "mixed";
  for (const Profile& profile : profiles()) names += ", " + profile.name;
  return names;
}

}  // namespace uopdiff
