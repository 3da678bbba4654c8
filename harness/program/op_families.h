// The parts of the operation table, one function a family; used by op_table.cpp only.
#pragma once

#include "harness/program/op_table.h"

namespace uopdiff::families {

using Table = std::vector<OpInfo>;

void add_sources(Table& table);
void add_movement(Table& table);
void add_elementwise(Table& table);
void add_activations(Table& table);
void add_reduces(Table& table);
void add_scans(Table& table);     // along one axis: softmax, cumsum, sort
void add_products(Table& table);  // matmul, einsum, attention
void add_windows(Table& table);   // convolution and pooling
void add_norms(Table& table);     // normalisation and losses
void add_indexing(Table& table);

// Sets of dtypes that the entries name.
inline const std::vector<DType> kAll(std::begin(kAllDTypes), std::end(kAllDTypes));
inline const std::vector<DType> kInts{DType::u8,  DType::i8,  DType::u16, DType::i16,
                                      DType::u32, DType::i32, DType::u64, DType::i64};
inline const std::vector<DType> kFloats{DType::f16, DType::bf16, DType::f32, DType::f64};
inline const std::vector<DType> kNumbers{DType::u8,  DType::i8,   DType::u16, DType::i16,
                                         DType::u32, DType::i32,  DType::u64, DType::i64,
                                         DType::f16, DType::bf16, DType::f32, DType::f64};
inline const std::vector<DType> kBool{DType::boolean};
inline const std::vector<DType> kBits{DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                      DType::u32,     DType::i32, DType::u64, DType::i64};

inline AttrSpec required(std::string name, AttrKind kind) { return {std::move(name), kind, std::nullopt}; }
inline AttrSpec with_default(std::string name, AttrKind kind, AttrValue value) {
  return {std::move(name), kind, std::move(value)};
}

}  // namespace uopdiff::families
