"""Movement operations: what goes where, and the boundaries of execution."""

import symbolic
from dtypes import constant, dtype_of
from failure import Unsupported
from tinygrad import Tensor


def _pairs(node, key):
    return tuple(tuple(pair) for pair in node["attrs"][key])


def _pad_value(node, x):
    """pad makes integers of bools (tensor.py, `pad`: a where with an integer)."""
    value = constant(node["attrs"]["value"], node["dtype"])
    return x.pad(_pairs(node, "padding"), value=value).cast(dtype_of(node))


def _slice(node, x):
    """A negative step of Python begins at the last element of the window, and ends before its first."""
    slices = []
    for (begin, end), step in zip(node["attrs"]["bounds"], node["attrs"]["steps"], strict=True):
        if step > 0:
            slices.append(slice(begin, end, step))
        elif begin == end:
            slices.append(slice(begin, end))
        else:
            slices.append(slice(end - 1, begin - 1 if begin > 0 else None, step))
    return x[tuple(slices)]


def _materialised(node, x):
    """What is a buffer already stays that buffer, but assigning to the result must not reach the source."""
    result = x.contiguous()
    return x.clone() if result.uop.base is x.uop.base else result


def _not_in_schedule(node, *operands):
    raise Unsupported(f"{node['op']} in a schedule alone")


def _assign(node, target, value):
    return target.assign(value)


def _assign_view(node, target, value):
    window = tuple(slice(begin, end) for begin, end in node["attrs"]["bounds"])
    if value.numel() > 0:
        target[window] = value
    return target


TABLE = {
    "reshape": lambda node, x: x.reshape(symbolic.reshaped(x.shape, node["shape"])),
    "expand": lambda node, x: x.expand(symbolic.expanded(x.shape, node["shape"])),
    "permute": lambda node, x: x.permute(tuple(node["attrs"]["axes"])),
    "pad": lambda node, x: x.pad(_pairs(node, "padding")),
    "shrink": lambda node, x: x.shrink(_pairs(node, "bounds")),
    "flip": lambda node, x: x.flip(tuple(node["attrs"]["axes"])),
    "contiguous": lambda node, x: x.contiguous(),
    "cat": lambda node, x, *rest: x.cat(*rest, dim=node["attrs"]["axis"]),
    "pad_value": _pad_value,
    "slice": _slice,
    "stack": lambda node, x, *rest: Tensor.stack(x, *rest, dim=node["attrs"]["axis"]),
    "repeat": lambda node, x: x.repeat(tuple(node["attrs"]["repeats"])),
    "squeeze": lambda node, x: x.squeeze(node["attrs"]["axis"]),
    "unsqueeze": lambda node, x: x.unsqueeze(node["attrs"]["axis"]),
    "flatten": lambda node, x: x.flatten(node["attrs"]["start"], node["attrs"]["end"]),
    "tril": lambda node, x: x.tril(node["attrs"]["diagonal"]),
    "triu": lambda node, x: x.triu(node["attrs"]["diagonal"]),
    "detach": lambda node, x: x.detach(),
    "realize": lambda node, x: _materialised(node, x).realize(),
    "assign": _assign,
    "assign_view": _assign_view,
    "bind_shrink": symbolic.bind_shrink,
}

# Where nothing may run: __setitem__ runs its target and the assign.
IN_SCHEDULE = {"realize": _materialised, "assign_view": _not_in_schedule}
