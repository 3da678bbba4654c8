"""Every operation of the table as the tinygrad calls that mean exactly the same (all read in 0.12.0)."""

import operations_elementwise
import operations_movement
import operations_tensor
import symbolic
from dtypes import constant, dtype_of
from failure import AdapterFault, Unsupported
from tinygrad import Tensor
from tinygrad.uop.ops import UOp


def _full(node):
    value = constant(node["attrs"]["value"], node["dtype"])
    return Tensor.full(tuple(node["shape"]), value, dtype=dtype_of(node))


def _arange(node):
    start, step = node["attrs"]["start"], node["attrs"]["step"]
    return Tensor.arange(start, start + step * node["shape"][0], step, dtype=dtype_of(node))


def _linspace(node):
    start, stop = node["attrs"]["start"], node["attrs"]["stop"]
    return Tensor.linspace(start, stop, node["shape"][0], dtype=dtype_of(node))


TABLE = {
    "full": _full,
    "arange": _arange,
    "linspace": _linspace,
    "eye": lambda node: Tensor.eye(*node["shape"], dtype=dtype_of(node)),
    **operations_movement.TABLE,
    **operations_elementwise.TABLE,
    **operations_tensor.TABLE,
}


def input_tensor(node, data: bytes) -> Tensor:
    """A realised buffer, filled in place: `Tensor(data)` would make a schedule of its own for each input."""
    dtype = dtype_of(node)
    if not data:  # there are no buffers of size 0
        return Tensor.empty(tuple(node["shape"]), dtype=dtype)
    uop = UOp.new_buffer("CPU", len(data) // dtype.itemsize, dtype)
    uop.buffer.allocate().copyin(memoryview(bytearray(data)))
    return Tensor(uop).reshape(tuple(node["shape"]))


def apply(node, operands, runs: bool) -> Tensor:
    if node["op"] not in TABLE:
        raise Unsupported(f"operation {node['op']}")
    if any(symbolic.has_variable(x.shape) for x in operands):
        operands = symbolic.operands(node["op"], operands, node["op"] in operations_elementwise.TABLE)
    dtype, shape = dtype_of(node), tuple(node["shape"])
    table = TABLE if runs else TABLE | operations_movement.IN_SCHEDULE
    result = table[node["op"]](node, *operands)
    if (result.dtype, symbolic.sizes(result.shape)) != (dtype, shape):
        raise AdapterFault(f"{node['op']} gives {result.dtype} {result.shape}, not {dtype} {shape}")
    return result
