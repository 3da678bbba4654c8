"""Extents that are a variable of the kernels, bound to a value. In the program they are that value.

The buffer of a result has room for the largest value of the variable, along each such axis.
"""

from math import prod

from failure import Unsupported
from tinygrad import Tensor, Variable
from tinygrad.uop.ops import Ops, UOp

# What tinygrad 0.12.0 does along and beside an axis with a variable extent; elementwise operations, too.
MOVEMENT = "reshape expand permute pad shrink flip cat pad_value stack repeat unsqueeze squeeze flatten"
REDUCES = "sum prod max min any all mean var std logsumexp softmax log_softmax cumsum cumprod"
OTHERS = "contiguous realize detach bind_shrink matmul linear dot einsum layernorm rms_norm one_hot"
OPERATIONS = set(f"{MOVEMENT} {REDUCES} {OTHERS}".split())


def bind_shrink(node, x: Tensor) -> Tensor:
    attrs = node["attrs"]
    if not 0 < attrs["min"] < attrs["max"]:  # broadcasting takes an extent that may be 0 for 0
        raise Unsupported("a variable extent that may be 0, or has one value only")
    size = Variable("v", attrs["min"], attrs["max"]).bind(attrs["size"])
    return x.shrink(tuple((0, size) if axis == attrs["axis"] else None for axis in range(x.ndim)))


def check(nodes: list[dict]) -> None:
    """Values are bound by name (strip_bind of engine/schedule.py), and there is one."""
    binds = (node["attrs"] for node in nodes if node["op"] == "bind_shrink")
    if len({(attrs["min"], attrs["max"], attrs["size"]) for attrs in binds}) > 1:
        raise Unsupported("more than one variable extent")


def is_variable(extent) -> bool:
    return isinstance(extent, UOp)


def has_variable(shape) -> bool:
    return any(map(is_variable, shape))


def _value(extent) -> int:
    if not is_variable(extent):
        return extent
    expression, bound = extent.unbind_all()
    return expression.sym_infer({variable.expr: value for variable, value in bound.items()})


def sizes(shape) -> tuple[int, ...]:
    return tuple(map(_value, shape))


def room(shape) -> tuple[int, ...]:
    return tuple(int(extent.vmax) if is_variable(extent) else extent for extent in shape)


def window(data: bytes, shape) -> bytes:
    """The part in use of a buffer."""
    whole, used = room(shape), sizes(shape)
    if whole == used:
        return data
    step = len(data) // whole[0]
    return b"".join(window(data[k * step : (k + 1) * step], shape[1:]) for k in range(used[0]))


def is_whole_buffer(uop: UOp) -> bool:
    """What a scheduled output has to be, that its buffer can be read."""
    if uop.op is Ops.SHRINK and has_variable(uop.shape):
        at_start = all(begin == 0 for begin, _ in uop.marg)
        return at_start and uop.src[0].shape == room(uop.shape) and uop.src[0].is_contiguous()
    return uop.is_contiguous()


def reshaped(shape, wanted) -> tuple:
    """`wanted` with each variable extent where as many elements lie before it as in `shape`."""
    result, values = list(wanted), sizes(shape)
    for axis, extent in enumerate(shape):
        if is_variable(extent):
            before = prod(values[:axis])
            same = [k for k, n in enumerate(wanted) if n == values[axis] and prod(wanted[:k]) == before]
            if not same:
                raise Unsupported("reshape of a variable extent into others")
            result[same[0]] = extent
    return tuple(result)


def expanded(shape, wanted) -> tuple:
    return tuple(extent if is_variable(extent) else n for extent, n in zip(shape, wanted, strict=True))


def operands(op: str, given: list[Tensor], elementwise: bool) -> list[Tensor]:
    if not elementwise and op not in OPERATIONS:
        raise Unsupported(f"{op} of a variable extent")
    return _alike(given) if elementwise else given


def _alike(operands: list[Tensor]) -> list[Tensor]:
    """Operands of one shape: what is the same along an axis becomes as long there as its partner.

    Any other mix tinygrad refuses (`_broadcast_to` of mixin/movement.py).
    """
    axes = zip(*(x.shape for x in operands), strict=True)
    shape = tuple(next(filter(is_variable, extents), extents[0]) for extents in axes)
    return [x if x.shape == shape else _expanded(x, shape) for x in operands]


def _expanded(x: Tensor, shape) -> Tensor:
    source = x.uop.src[0] if x.uop.op is Ops.EXPAND else x.uop
    if any(have not in (1, want) for have, want in zip(source.shape, shape, strict=True)):
        raise Unsupported("a variable extent beside one that is not")
    return Tensor(source).expand(shape)
