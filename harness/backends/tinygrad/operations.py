"""Every operation of the table as the tinygrad calls that mean exactly the same (all read in 0.12.0)."""

from failure import AdapterFault, Unsupported
from tinygrad import Tensor, dtypes
from tinygrad.uop.ops import Ops, UOp

DTYPES = {"bool": dtypes.bool, "i32": dtypes.int32, "f32": dtypes.float32}


def _alu(op: Ops):
    """The operation of the IR itself, where the front end offers it for other dtypes only."""
    return lambda node, x, y: x._apply_uop(lambda a, b: UOp.alu(a, op, b), y)


def _constant(node):
    value = node["attrs"]["value"]
    if node["dtype"] == "bool":
        return bool(value)
    return int(value) if node["dtype"] == "i32" else float(value)  # float() reads "nan" and "inf" too


def _full(node):
    return Tensor.full(tuple(node["shape"]), _constant(node), dtype=DTYPES[node["dtype"]])


def _arange(node):
    start, step = node["attrs"]["start"], node["attrs"]["step"]
    return Tensor.arange(start, start + step * node["shape"][0], step, dtype=DTYPES[node["dtype"]])


def _reduce(name):
    def call(node, x):
        return getattr(x, name)(axis=tuple(node["attrs"]["axes"]), keepdim=node["attrs"]["keepdim"])

    return call


def _keep_dtype(name):
    """sum and prod would accumulate small integers in a wider dtype; here the dtype stays."""

    def call(node, x):
        axes, keepdim = tuple(node["attrs"]["axes"]), node["attrs"]["keepdim"]
        return getattr(x, name)(axis=axes, keepdim=keepdim, dtype=DTYPES[node["dtype"]])

    return call


def _unary(name):
    return lambda node, x: getattr(x, name)()


def _binary(name):
    return lambda node, x, y: getattr(x, name)(y)


TABLE = {
    "full": _full,
    "arange": _arange,
    "reshape": lambda node, x: x.reshape(tuple(node["shape"])),
    "expand": lambda node, x: x.expand(tuple(node["shape"])),
    "permute": lambda node, x: x.permute(tuple(node["attrs"]["axes"])),
    "pad": lambda node, x: x.pad(tuple(tuple(p) for p in node["attrs"]["padding"])),
    "shrink": lambda node, x: x.shrink(tuple(tuple(b) for b in node["attrs"]["bounds"])),
    "flip": lambda node, x: x.flip(tuple(node["attrs"]["axes"])),
    "contiguous": _unary("contiguous"),
    "cat": lambda node, x, *rest: x.cat(*rest, dim=node["attrs"]["axis"]),
    "neg": _unary("neg"),
    "abs": _unary("abs"),
    "sqrt": _unary("sqrt"),
    "exp2": _unary("exp2"),
    "log2": _unary("log2"),
    "sin": _unary("sin"),
    "exp": _unary("exp"),
    "log": _unary("log"),
    "reciprocal": _unary("reciprocal"),
    "relu": _unary("relu"),
    "logical_not": _unary("logical_not"),
    "add": _binary("add"),
    "sub": _binary("sub"),
    "mul": _binary("mul"),
    "div": _binary("div"),
    "floordiv": lambda node, x, y: x.div(y, rounding_mode="floor"),
    "truncdiv": _binary("idiv"),
    "floormod": _binary("mod"),
    "truncmod": _alu(Ops.MOD),
    "maximum": _binary("maximum"),
    "minimum": _binary("minimum"),
    "and": _binary("bitwise_and"),
    "or": _binary("bitwise_or"),
    "xor": _binary("bitwise_xor"),
    "shl": _alu(Ops.SHL),
    "shr": _alu(Ops.SHR),
    "lt": lambda node, x, y: x < y,
    "eq": _binary("eq"),
    "ne": _binary("ne"),
    "where": lambda node, c, x, y: c.where(x, y),
    "cast": lambda node, x: x.cast(DTYPES[node["dtype"]]),
    "sum": _keep_dtype("sum"),
    "prod": _keep_dtype("prod"),
    "max": _reduce("max"),
    "min": _reduce("min"),
    "matmul": lambda node, x, y: x.matmul(y, dtype=DTYPES[node["dtype"]]),
    "mean": _reduce("mean"),
    "softmax": lambda node, x: x.softmax(node["attrs"]["axis"]),
    "cumsum": lambda node, x: x.cumsum(node["attrs"]["axis"]),
}


def input_tensor(node, data: bytes) -> Tensor:
    """A realised buffer, filled in place: `Tensor(data)` would make a schedule of its own for each input."""
    dtype = _dtype(node)
    uop = UOp.new_buffer("CPU", len(data) // dtype.itemsize, dtype)
    uop.buffer.allocate().copyin(memoryview(bytearray(data)))
    return Tensor(uop).reshape(tuple(node["shape"]))


def _dtype(node):
    if node["dtype"] not in DTYPES:
        raise Unsupported(f"dtype {node['dtype']}")
    return DTYPES[node["dtype"]]


def apply(node, operands) -> Tensor:
    if node["op"] not in TABLE:
        raise Unsupported(f"operation {node['op']}")
    dtype, shape = _dtype(node), tuple(node["shape"])
    result = TABLE[node["op"]](node, *operands)
    if (result.dtype, result.shape) != (dtype, shape):
        raise AdapterFault(f"{node['op']} gives {result.dtype} {result.shape}, not {dtype} {shape}")
    return result
