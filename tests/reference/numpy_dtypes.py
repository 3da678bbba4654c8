"""The dtypes of programs as numpy has them."""

import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_,
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "u32": np.uint32,
    "i32": np.int32,
    "u64": np.uint64,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
DTYPES = {name: np.dtype(dtype) for name, dtype in DTYPES.items()}
FLOATS = {DTYPES[name] for name in ("f16", "bf16", "f32", "f64")}
BF16 = DTYPES["bf16"]
