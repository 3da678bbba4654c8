"""The dtypes of the program language, and its constants, as tinygrad's."""

from failure import Unsupported
from tinygrad import dtypes

DTYPES = {
    "bool": dtypes.bool,
    "u8": dtypes.uint8,
    "i8": dtypes.int8,
    "u16": dtypes.uint16,
    "i16": dtypes.int16,
    "u32": dtypes.uint32,
    "i32": dtypes.int32,
    "u64": dtypes.uint64,
    "i64": dtypes.int64,
    "f16": dtypes.float16,
    "bf16": dtypes.bfloat16,
    "f32": dtypes.float32,
    "f64": dtypes.float64,
}
FLOATS = ("f16", "bf16", "f32", "f64")


def dtype_of(node):
    if node["dtype"] not in DTYPES:
        raise Unsupported(f"dtype {node['dtype']}")
    return DTYPES[node["dtype"]]


def constant(value, dtype: str):
    """A number of the program: `float` reads "nan" and "inf", too."""
    if dtype == "bool":
        return bool(value)
    return float(value) if dtype in FLOATS else int(value)
