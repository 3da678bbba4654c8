#include <algorithm>

#include "generators/samplers.h"

namespace uopdiff {
namespace {

struct Image {
  int node;
  int64_t batch, channels;
  Shape spatial;
};

// n as [n,c,spatial...] when it has few elements; else a fresh one.
Image image_of(Workbench& b, int n, int64_t groups) {
  const Shape have = b.node(n).shape;
  const DType dtype = b.node(n).dtype;
  const bool fits = (have.size() == 3 || have.size() == 4) && element_count(have) <= 600 &&
                    have[1] % groups == 0 && std::ranges::find(have, 0) == have.end();
  if (fits) return {n, have[0], have[1], Shape(have.begin() + 2, have.end())};
  Shape shape{b.draw.range(1, 2), groups * b.draw.range(1, 2)};
  for (int64_t k = b.draw.range(1, 2); k > 0; --k) shape.push_back(b.draw.range(2, 6));
  return {b.source(dtype, shape), shape[0], shape[1], Shape(shape.begin() + 2, shape.end())};
}

struct Walk {
  Ints kernel, stride, dilation;
  Pairs padding;
  Attrs attrs() const { return {{"stride", stride}, {"dilation", dilation}, {"padding", padding}}; }
};

Walk walk_of(Workbench& b, const Shape& spatial) {
  Walk walk;
  for (int64_t extent : spatial) {
    const int64_t kernel = b.draw.range(1, std::min<int64_t>(3, extent));
    walk.kernel.push_back(kernel);
    walk.stride.push_back(b.draw.one_of<int64_t>({1, 1, 2, 3}));
    walk.dilation.push_back(kernel > 1 && (kernel - 1) * 2 < extent && b.draw.chance(0.3) ? 2 : 1);
    const int64_t reach = walk.dilation.back() * (kernel - 1);
    const int64_t most = std::min<int64_t>(reach, 2), before = b.draw.range(0, most);
    walk.padding.emplace_back(before, b.draw.range(0, most));
  }
  return walk;
}

int conv(Workbench& b, const OpInfo& op, int n) {
  const int64_t groups = b.draw.one_of<int64_t>({1, 1, 1, 2});
  const Image image = image_of(b, n, groups);
  const Walk walk = walk_of(b, image.spatial);
  const DType dtype = b.node(image.node).dtype;
  const int64_t results = groups * b.draw.range(1, 2);
  const bool transposed = op.find_attr("output_padding") != nullptr;
  Shape weight =
      transposed ? Shape{image.channels, results / groups} : Shape{results, image.channels / groups};
  weight.insert(weight.end(), walk.kernel.begin(), walk.kernel.end());
  std::vector<int> src{image.node, b.source(dtype, weight)};
  if (b.draw.chance(0.4)) src.push_back(b.source(dtype, {results}));
  Attrs attrs = walk.attrs();
  attrs["groups"] = groups;
  if (transposed) {
    Ints more;
    for (int64_t stride : walk.stride) more.push_back(b.draw.range(0, stride - 1));
    attrs["output_padding"] = more;
  }
  return append(b.program, op.name, src, attrs);
}

int pool(Workbench& b, const OpInfo& op, int n) {
  const Image image = image_of(b, n, 1);
  const Walk walk = walk_of(b, image.spatial);
  Attrs attrs = walk.attrs();
  attrs["kernel"] = walk.kernel;
  if (op.find_attr("count_include_pad")) attrs["count_include_pad"] = b.draw.chance(0.6);
  return append(b.program, op.name, {image.node}, attrs);
}

int batchnorm(Workbench& b, const OpInfo& op, int n) {
  n = b.with_rank(n, 2);
  const Shape channels{b.node(n).shape[1]};
  const DType dtype = b.node(n).dtype;
  std::vector<int> src{n};
  for (int k = 0; k < 3; ++k) src.push_back(b.source(dtype, channels));
  src.push_back(b.input(dtype, channels, "positive"));
  return append(b.program, op.name, src);
}

}  // namespace

Samplers window_samplers() {
  return {{"conv", conv},
          {"conv_transpose", conv},
          {"avg_pool", pool},
          {"max_pool", pool},
          {"batchnorm", batchnorm}};
}

}  // namespace uopdiff
