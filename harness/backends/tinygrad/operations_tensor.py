"""Reduces, scans, products, windows, norms, losses and indexing."""

import symbolic
from dtypes import dtype_of
from tinygrad import Tensor, dtypes


def _axes(node):
    return {"axis": tuple(node["attrs"]["axes"]), "keepdim": node["attrs"]["keepdim"]}


def _reduce(name):
    return lambda node, x: getattr(x, name)(**_axes(node))


def _keep_dtype(name):
    """sum and prod would accumulate small integers in a wider dtype; here the dtype stays."""
    return lambda node, x: getattr(x, name)(**_axes(node), dtype=dtype_of(node))


def _logsumexp(node, x):
    """It takes one axis: several are made one of first. Its keepdim gives a wrong shape (tensor.py: it adds
    `m.squeeze(axis)`), which could not be told from a fault of the adapter."""
    axes = node["attrs"]["axes"]
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    joined = x.permute(*rest, *axes).flatten(len(rest)) if len(axes) > 1 else x
    result = joined.logsumexp(len(rest) if len(axes) > 1 else axes[0])
    return result.reshape(symbolic.reshaped(result.shape, node["shape"]))


def _argextreme(name):
    return lambda node, x: getattr(x, name)(node["attrs"]["axis"], keepdim=node["attrs"]["keepdim"])


def _along(name):
    return lambda node, x: getattr(x, name)(node["attrs"]["axis"])


def _scan(name):
    """cumsum accumulates small integers in a wider dtype; modulo their width that is the same."""
    return lambda node, x: getattr(x, name)(node["attrs"]["axis"]).cast(dtype_of(node))


def _sorted(position):
    return lambda node, x: x.sort(node["attrs"]["axis"], node["attrs"]["descending"])[position]


def _einsum(node, *operands):
    *inputs, result = node["attrs"]["formula"].split("_")
    return Tensor.einsum(",".join(inputs) + "->" + result, *operands, dtype=dtype_of(node))


def _sdpa(node, q, k, v, mask=None):
    return q.scaled_dot_product_attention(k, v, attn_mask=mask, is_causal=node["attrs"]["causal"])


def _padding(node):
    """Of the last axis first, before and after it."""
    return [side for pair in reversed(node["attrs"]["padding"]) for side in pair]


def _walk(node):
    attrs = node["attrs"]
    return {"stride": tuple(attrs["stride"]), "dilation": tuple(attrs["dilation"]), "padding": _padding(node)}


def _conv(node, x, weight, bias=None):
    return x.conv2d(weight, bias, groups=node["attrs"]["groups"], dtype=dtype_of(node), **_walk(node))


def _conv_transpose(node, x, weight, bias=None):
    groups, more = node["attrs"]["groups"], tuple(node["attrs"]["output_padding"])
    return x.conv_transpose2d(weight, bias, groups=groups, output_padding=more, **_walk(node))


def _avg_pool(node, x):
    counted = node["attrs"]["count_include_pad"]
    return x.avg_pool2d(tuple(node["attrs"]["kernel"]), count_include_pad=counted, **_walk(node))


def _max_pool(node, x):
    return x.max_pool2d(tuple(node["attrs"]["kernel"]), **_walk(node))


def _rms_norm(node, x):
    """As RMSNorm of nn/__init__.py, which has it in f32 only."""
    return x * (x.square().mean(-1, keepdim=True) + node["attrs"]["eps"]).rsqrt()


def _loss(name):
    def call(node, x, target):
        return getattr(x, name)(target, reduction=node["attrs"]["reduction"]).cast(dtype_of(node))

    return call


def _index_select(node, x, index):
    """tinygrad counts negative indices from the end; here they are outside like those above."""
    along = [1] * x.ndim
    along[node["attrs"]["axis"]] = index.shape[0]
    return x.gather(node["attrs"]["axis"], index.reshape(along).expand(tuple(node["shape"])))


def _scatter_reduce(node, x, index, source):
    axis, how, include = (node["attrs"][key] for key in ("axis", "reduce", "include_self"))
    result = x.scatter_reduce(axis, index, source, how, include_self=include)
    return result.cast(dtype_of(node))  # the sum of small integers is wider


TABLE = {
    "sum": _keep_dtype("sum"),
    "prod": _keep_dtype("prod"),
    "max": _reduce("max"),
    "min": _reduce("min"),
    "any": _reduce("any"),
    "all": _reduce("all"),
    "mean": _reduce("mean"),
    "var": _reduce("var"),
    "std": _reduce("std"),
    "logsumexp": _logsumexp,
    "argmax": _argextreme("argmax"),
    "argmin": _argextreme("argmin"),
    "softmax": _along("softmax"),
    "log_softmax": _along("log_softmax"),
    "cumsum": _scan("cumsum"),
    "cumprod": _scan("cumprod"),
    "sort": _sorted(0),
    "argsort": lambda node, x: _sorted(1)(node, x).cast(dtypes.int32),
    "topk": lambda node, x: x.topk(node["attrs"]["k"], node["attrs"]["axis"], node["attrs"]["largest"])[0],
    "matmul": lambda node, x, y: x.matmul(y, dtype=dtype_of(node)),
    "linear": lambda node, x, *rest: x.linear(*rest),
    "dot": lambda node, x, y: x.dot(y, dtype=dtype_of(node)),
    "einsum": _einsum,
    "sdpa": _sdpa,
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "avg_pool": _avg_pool,
    "max_pool": _max_pool,
    "layernorm": lambda node, x: x.layernorm(eps=node["attrs"]["eps"]),
    "rms_norm": _rms_norm,
    "batchnorm": lambda node, x, *rest: x.batchnorm(*rest),
    "nll_loss": _loss("nll_loss"),
    "cross_entropy": _loss("cross_entropy"),
    "gather": lambda node, x, index: x.gather(node["attrs"]["axis"], index),
    "index_select": _index_select,
    "scatter": lambda node, x, index, source: x.scatter(node["attrs"]["axis"], index, source),
    "scatter_reduce": _scatter_reduce,
    "one_hot": lambda node, x: x.one_hot(node["attrs"]["classes"]).cast(dtypes.int32),
}
