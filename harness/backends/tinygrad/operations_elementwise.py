"""Elementwise operations."""

from dtypes import constant, dtype_of
from tinygrad import Tensor
from tinygrad.uop.ops import Ops, UOp


def _alu(op: Ops):
    """The operation of the IR itself, where the front end offers it for other dtypes only."""
    return lambda node, x, y: x._apply_uop(lambda a, b: UOp.alu(a, op, b), y)


def _unary(name):
    return lambda node, x: getattr(x, name)()


def _binary(name):
    return lambda node, x, y: getattr(x, name)(y)


def _with(name, *attributes):
    """A call with attributes of the node as its arguments."""
    return lambda node, x: getattr(x, name)(*(node["attrs"][key] for key in attributes))


def _clamp(node, x):
    return x.clamp(*(constant(node["attrs"][key], node["dtype"]) for key in ("min", "max")))


UNARY = """
neg abs sign square bitwise_not logical_not isnan isinf sqrt rsqrt reciprocal exp exp2 log log2 sin cos
tan asin acos atan sinh cosh tanh asinh acosh atanh trunc floor ceil round relu relu6 sigmoid erf
gelu silu softsign hardswish mish
"""

TABLE = {
    **{name: _unary(name) for name in UNARY.split()},
    "clamp": _clamp,
    "softplus": _with("softplus", "beta"),
    "hardsigmoid": _with("hardsigmoid", "alpha", "beta"),
    "leaky_relu": _with("leaky_relu", "slope"),
    "elu": _with("elu", "alpha"),
    "celu": _with("celu", "alpha"),
    "add": _binary("add"),
    "sub": _binary("sub"),
    "mul": _binary("mul"),
    "div": _binary("div"),
    "pow": _binary("pow"),
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
    "gt": lambda node, x, y: x > y,
    "le": lambda node, x, y: x <= y,
    "ge": lambda node, x, y: x >= y,
    "eq": _binary("eq"),
    "ne": _binary("ne"),
    "where": lambda node, c, x, y: c.where(x, y),
    "lerp": lambda node, x, y, z: Tensor.lerp(x, y, z),
    "cast": lambda node, x: x.cast(dtype_of(node)),
    "bitcast": lambda node, x: x.bitcast(dtype_of(node)),
}
