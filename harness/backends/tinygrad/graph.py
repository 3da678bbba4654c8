"""Scheduled kernels of tinygrad in the protocol's form; nothing is simplified."""

import math

from dtypes import DTYPES
from tinygrad.dtype import DType, Invalid, PtrDType, dtypes
from tinygrad.uop.ops import Ops, UOp, axis_to_pos

NAMES = {**DTYPES, "index": dtypes.index, "void": dtypes.void}
BY_DTYPE = {dtype: name for name, dtype in NAMES.items()}


def dtype_name(dtype: DType) -> str:
    if isinstance(dtype, PtrDType):
        dtype = dtype.base
    name = BY_DTYPE.get(dtype.scalar(), str(dtype.scalar()))
    return f"{name}x{dtype.count}" if dtype.count > 1 else name


def _constant(value):
    if value is Invalid:
        return "Invalid"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _arg(u: UOp):
    if u.op is Ops.CONST:
        return _constant(u.arg)
    if u.op is Ops.VCONST:
        return [_constant(v) for v in u.arg]
    if u.op in (Ops.DEFINE_GLOBAL, Ops.DEFINE_LOCAL, Ops.DEFINE_REG):
        return {"slot": u.arg, "size": u.dtype.size}
    if u.op is Ops.RANGE:
        return [u.arg[0], u.arg[-1].name]
    if u.op is Ops.REDUCE:
        return u.arg.name
    if u.op is Ops.DEFINE_VAR:
        return list(u.arg)
    if u.op is Ops.INDEX:
        return {"gate": True} if len(u.src) > 2 and u.src[-1].dtype == dtypes.bool else None
    if u.op is Ops.LOAD:
        return {"alt": True} if len(u.src) > 1 else None
    return None if u.arg is None or u.op is Ops.SINK else str(u.arg)


def emit(ast: UOp) -> list:
    """`[[op, dtype, arg, [src...]], ...]` in topological order, the SINK last."""
    position, nodes = {}, []
    for u in ast.toposort():
        position[u] = len(nodes)
        nodes.append([u.op.name, dtype_name(u.dtype), _arg(u), [position[s] for s in u.src]])
    return nodes


def kernel_name(ast: UOp) -> str:
    """As get_optimized_ast of codegen/opt/postrange.py names it, but by its ranges before optimisation."""
    nodes = ast.toposort()
    ranges = [u for u in nodes if u.op is Ops.RANGE and u.vmax > 0]
    ranges.sort(key=lambda u: (axis_to_pos[u.arg[-1]], u.arg[:-1]))
    kind = "r" if any(u.op is Ops.REDUCE for u in nodes) else "E"
    return "_".join([kind, *(u.src[0].render() for u in ranges)])


class Buffers:
    """Names each buffer of a schedule: an input, an output, or a temp numbered by first write.

    To be made after scheduling, when the outputs have buffers. A temp is met first where it is written.
    """

    def __init__(self, inputs, outputs):
        self.kinds, self.temps, self.keep = {}, 0, []
        for name, buffer in inputs.items():
            self.kinds[id(buffer)] = {"kind": "input", "name": name}
        for index, tensor in enumerate(outputs):
            if 0 in tensor.shape:
                continue  # has no buffer
            self.kinds.setdefault(id(tensor.uop.base.buffer), {"kind": "output", "index": index})

    def kind(self, buffer) -> dict:
        known = self.kinds.get(id(buffer))
        if known is None:
            known = self.kinds[id(buffer)] = {"kind": "temp", "index": self.temps}
            self.keep.append(buffer)  # an id may be used again once its object is gone
            self.temps += 1
        return known | {"dtype": dtype_name(buffer.dtype), "size": buffer.size}


def kernels(schedule, buffers: Buffers) -> list[dict]:
    result = []
    for item in schedule:
        entry = {"buffers": [buffers.kind(b) for b in item.bufs]}
        if item.ast.op is Ops.SINK:
            entry |= {"name": kernel_name(item.ast), "graph": emit(item.ast)}
        else:
            entry |= {"name": item.ast.op.name.lower(), "opaque": item.ast.op.name}
        result.append(entry)
    return result
