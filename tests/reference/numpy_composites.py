"""Composite operations in numpy, written from their meaning and not from the harness's definitions of them.

Floats are computed in f64 and rounded to their dtype at the end.
"""

import itertools

import numpy as np
from numpy_dtypes import DTYPES


class Unsupported(Exception):
    pass


def is_float(x):
    return x.dtype.kind not in "biu"


def widened(x):
    return x.astype(np.float64) if is_float(x) else x


def floats(function):
    """`function(node, *operands)` in f64, of float operands; others as they are."""
    return lambda node, src: np.asarray(function(node, *map(widened, src))).astype(src[0].dtype)


def axis_of(node):
    return node["attrs"]["axis"]


def accumulated(function):
    def run(node, src):
        x = src[0]
        if x.shape[axis_of(node)] == 0:
            return x
        return function(widened(x), axis=axis_of(node), dtype=widened(x).dtype).astype(x.dtype)

    return run


def order(x, axis, descending):
    """Stable either way."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def sort(node, src):
    x = src[0]
    return np.take_along_axis(x, order(widened(x), axis_of(node), node["attrs"]["descending"]), axis_of(node))


def argsort(node, src):
    return order(widened(src[0]), axis_of(node), node["attrs"]["descending"]).astype(np.int32)


def topk(node, src):
    x, axis = src[0], axis_of(node)
    places = order(widened(x), axis, node["attrs"]["largest"]).take(range(node["attrs"]["k"]), axis)
    return np.take_along_axis(x, places, axis)


def arg_extreme(function):
    def run(node, src):
        return function(widened(src[0]), axis=axis_of(node), keepdims=node["attrs"]["keepdim"]).astype(
            np.int32
        )

    return run


def over_axes(function):
    def run(node, src):
        attrs = node["attrs"]
        return function(widened(src[0]), axis=tuple(attrs["axes"]), keepdims=attrs["keepdim"]).astype(
            src[0].dtype
        )

    return run


def logsumexp(x, axis, keepdims):
    largest = x.max(axis=axis, keepdims=True)
    total = np.log(np.exp(x - largest).sum(axis=axis, keepdims=True)) + largest
    return total if keepdims else total.reshape(np.sum(x, axis=axis).shape)


def log_softmax(x, axis):
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def matmul(node, x, y):
    return np.matmul(x, y)


def linear(node, x, w, bias=0):
    return np.matmul(x, w) + bias


def einsum(node, *src):
    parts = node["attrs"]["formula"].split("_")
    return np.einsum(",".join(parts[:-1]) + "->" + parts[-1], *src)


def layernorm(node, x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + node["attrs"]["eps"])


def rms_norm(node, x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + node["attrs"]["eps"])


def batchnorm(node, x, scale, bias, mean, invstd):
    def channel(v):
        return v.reshape((1, -1) + (1,) * (x.ndim - 2))

    return (x - channel(mean)) * channel(scale * invstd) + channel(bias)


def sdpa(node, q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask
    if node["attrs"]["causal"]:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return np.exp(log_softmax(scores, -1)) @ v


def padded(x, padding, value=0):
    return np.pad(x, [(0, 0), (0, 0), *map(tuple, padding)], constant_values=value)


def windows(x, kernel, node):
    """[n, c, out..., kernel...] of the padded x."""
    attrs = node["attrs"]
    reach = [d * (k - 1) + 1 for d, k in zip(attrs["dilation"], kernel, strict=True)]
    axes = tuple(range(2, x.ndim))
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=axes)
    steps = [slice(None, None, s) for s in attrs["stride"]]
    inner = [slice(None, None, d) for d in attrs["dilation"]]
    return view[(slice(None), slice(None), *steps, *inner)]


def conv(node, x, w, bias=None):
    groups, spatial = node["attrs"]["groups"], x.ndim - 2
    view = windows(padded(x, node["attrs"]["padding"]), w.shape[2:], node)
    inner, outer = x.shape[1] // groups, w.shape[0] // groups
    letters = "xyz"[:spatial] + "uvw"[:spatial]
    parts = [
        np.einsum(
            f"nc{letters},oc{letters[spatial:]}->no{letters[:spatial]}",
            view[:, g * inner : (g + 1) * inner],
            w[g * outer : (g + 1) * outer],
        )
        for g in range(groups)
    ]
    y = np.concatenate(parts, axis=1)
    return y if bias is None else y + bias.reshape((1, -1) + (1,) * spatial)


def conv_transpose(node, x, w, bias=None):
    """Every element of x adds its weighted kernel to the result."""
    attrs, spatial = node["attrs"], x.ndim - 2
    groups = attrs["groups"]
    inner, outer = x.shape[1] // groups, w.shape[1]
    stride, dilation, padding = attrs["stride"], attrs["dilation"], attrs["padding"]
    full = [
        stride[d] * (x.shape[2 + d] - 1) + dilation[d] * (w.shape[2 + d] - 1) + 1 + attrs["output_padding"][d]
        for d in range(spatial)
    ]
    y = np.zeros((x.shape[0], outer * groups, *full))
    for place in itertools.product(*map(range, w.shape[2:])):
        window = tuple(
            slice(
                place[d] * dilation[d],
                place[d] * dilation[d] + stride[d] * (x.shape[2 + d] - 1) + 1,
                stride[d],
            )
            for d in range(spatial)
        )
        for g in range(groups):
            part = np.einsum(
                "nc...,co->no...",
                x[:, g * inner : (g + 1) * inner],
                w[(slice(g * inner, (g + 1) * inner), slice(None), *place)],
            )
            y[(slice(None), slice(g * outer, (g + 1) * outer), *window)] += part
    y = y[(slice(None), slice(None), *(slice(p[0], y.shape[2 + d] - p[1]) for d, p in enumerate(padding)))]
    return y if bias is None else y + bias.reshape((1, -1) + (1,) * spatial)


def kernel_axes(view, spatial):
    return tuple(range(view.ndim - spatial, view.ndim))


def avg_pool(node, x):
    attrs, spatial = node["attrs"], x.ndim - 2
    view = windows(padded(x, attrs["padding"]), attrs["kernel"], node)
    total = view.sum(axis=kernel_axes(view, spatial))
    if attrs["count_include_pad"]:
        return total / np.prod(attrs["kernel"])
    ones = windows(padded(np.ones_like(x), attrs["padding"]), attrs["kernel"], node)
    return total / ones.sum(axis=kernel_axes(ones, spatial))


def max_pool(node, src):
    x, attrs = src[0], node["attrs"]
    lowest = -np.inf if is_float(x) else np.iinfo(x.dtype).min
    view = windows(padded(widened(x), attrs["padding"], lowest), attrs["kernel"], node)
    return view.max(axis=kernel_axes(view, x.ndim - 2)).astype(x.dtype)


def inside(index, extent):
    valid = (index >= 0) & (index < extent)
    return valid, np.where(valid, index, 0)


def gather(node, src):
    x, index, axis = src[0], src[1], axis_of(node)
    window = tuple(slice(None) if d == axis else slice(0, index.shape[d]) for d in range(x.ndim))
    valid, safe = inside(index, x.shape[axis])
    if x.shape[axis] == 0:
        return np.zeros(index.shape, x.dtype)
    return np.where(valid, np.take_along_axis(x[window], safe, axis), np.zeros((), x.dtype))


def index_select(node, src):
    x, index, axis = src[0], src[1], axis_of(node)
    if x.shape[axis] == 0:
        raise Unsupported("index_select of nothing")
    valid, safe = inside(index, x.shape[axis])
    valid = valid.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    return np.where(valid, x.take(safe, axis), np.zeros((), x.dtype))


def places(index, axis, extent):
    """Coordinates of the index in order, and where they lead; without those outside."""
    for at in itertools.product(*map(range, index.shape)):
        to = int(index[at])
        if 0 <= to < extent:
            yield at, (*at[:axis], to, *at[axis + 1 :])


def scatter(node, src):
    x, index, values = src
    y = x.copy()
    for at, to in places(index, axis_of(node), x.shape[axis_of(node)]):
        y[to] = values[at]
    return y


def scatter_reduce(node, src):
    x, index, values = widened(src[0]), src[1], widened(src[2])
    how, seen, y = node["attrs"]["reduce"], set(), x.copy()
    combine = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[how]
    for at, to in places(index, axis_of(node), x.shape[axis_of(node)]):
        first = not node["attrs"]["include_self"] and to not in seen
        y[to] = values[at] if first else combine(y[to], values[at])
        seen.add(to)
    return y.astype(src[0].dtype)


def one_hot(node, src):
    return (src[0][..., None] == np.arange(node["attrs"]["classes"])).astype(np.int32)


def reduced_loss(node, losses):
    reduction = node["attrs"]["reduction"]
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def nll_loss(node, x, target):
    picked = gather({"attrs": {"axis": 1}}, [x, np.expand_dims(target, 1)])
    return reduced_loss(node, -np.squeeze(picked, 1))


def cross_entropy(node, x, target):
    return nll_loss(node, log_softmax(x, 1), target)


def linspace(node, src):
    attrs = node["attrs"]
    return np.linspace(attrs["start"], attrs["stop"], node["shape"][0]).astype(np.float32)


def eye(node, src):
    return np.eye(*node["shape"]).astype(DTYPES[node["dtype"]])


def pad_value(node, src):
    x = src[0]
    value = float(node["attrs"]["value"])
    value = np.array(value if is_float(x) or x.dtype == np.bool_ else int(value)).astype(x.dtype)
    return np.pad(x, node["attrs"]["padding"], constant_values=value) if x.ndim else x


def slice_of(node, src):
    bounds, steps = node["attrs"]["bounds"], node["attrs"]["steps"]
    x = src[0][tuple(slice(begin, end) for begin, end in bounds)]
    return x[tuple(slice(None, None, step) for step in steps)]


def triangle(keep):
    def run(node, src):
        row, column = np.indices(src[0].shape)[-2:]
        return np.where(keep(column - row, node["attrs"]["diagonal"]), src[0], np.zeros((), src[0].dtype))

    return run


def assign_view(node, src):
    y = src[0].copy()
    y[tuple(slice(begin, end) for begin, end in node["attrs"]["bounds"])] = src[1]
    return y


def lerp(node, start, end, weight):
    return start + (end - start) * weight


def over_bools(function):
    return lambda node, src: function(
        src[0], axis=tuple(node["attrs"]["axes"]), keepdims=node["attrs"]["keepdim"]
    )


COMPOSITES = {
    "linspace": linspace,
    "eye": eye,
    "pad_value": pad_value,
    "slice": slice_of,
    "stack": lambda node, src: np.stack(src, axis=axis_of(node)),
    "repeat": lambda node, src: np.tile(src[0], node["attrs"]["repeats"]),
    "squeeze": lambda node, src: np.squeeze(src[0], axis_of(node)),
    "unsqueeze": lambda node, src: np.expand_dims(src[0], axis_of(node)),
    "flatten": lambda node, src: src[0].reshape(node["shape"]),
    "tril": triangle(lambda distance, diagonal: distance <= diagonal),
    "triu": triangle(lambda distance, diagonal: distance >= diagonal),
    "assign": lambda node, src: src[1],
    "assign_view": assign_view,
    "lerp": floats(lerp),
    "any": over_bools(np.any),
    "all": over_bools(np.all),
    "mean": over_axes(np.mean),
    "var": over_axes(lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=1)),
    "std": over_axes(lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=1)),
    "logsumexp": over_axes(logsumexp),
    "argmax": arg_extreme(np.argmax),
    "argmin": arg_extreme(np.argmin),
    "softmax": floats(lambda node, x: np.exp(log_softmax(x, axis_of(node)))),
    "log_softmax": floats(lambda node, x: log_softmax(x, axis_of(node))),
    "cumsum": accumulated(np.cumsum),
    "cumprod": accumulated(np.cumprod),
    "sort": sort,
    "argsort": argsort,
    "topk": topk,
    "matmul": floats(matmul),
    "dot": floats(lambda node, x, y: np.dot(x, y)),
    "linear": floats(linear),
    "einsum": floats(einsum),
    "layernorm": floats(layernorm),
    "rms_norm": floats(rms_norm),
    "batchnorm": floats(batchnorm),
    "sdpa": floats(sdpa),
    "conv": floats(conv),
    "conv_transpose": floats(conv_transpose),
    "avg_pool": floats(avg_pool),
    "max_pool": max_pool,
    "gather": gather,
    "index_select": index_select,
    "scatter": scatter,
    "scatter_reduce": scatter_reduce,
    "one_hot": one_hot,
    "nll_loss": floats(nll_loss),
    "cross_entropy": floats(cross_entropy),
}
