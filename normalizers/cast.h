// Casts and bitcasts in the field: chains of them that keep values, or cut them off alike, are one cast.
#pragma once

#include "normalizers/value.h"

namespace uopdiff {

Value cast_value(const UOp& node, DType from, const Value& x);
Value bitcast_value(const UOp& node, DType from, const Value& x);

}  // namespace uopdiff
