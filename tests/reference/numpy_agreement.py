"""Evaluates programs with numpy, one operation at a time in its dtype, for numpy_agreement.cpp to judge.

Every line of the cases holds a program twice: `own` has only operations that the reference evaluates as they
stand, `plain` is the program as it was generated, with composites, which are computed here without their
definitions (numpy_composites.py). A line of the results holds the outputs of both, as hexadecimal data.
"""

import json
import math
import sys

import numpy as np
from numpy_composites import COMPOSITES, Unsupported
from numpy_dtypes import BF16, DTYPES, FLOATS


def number(value):
    return float(value) if isinstance(value, str) else value


def cast(x, to):
    if x.dtype in FLOATS and to not in FLOATS and to != np.bool_:
        x = x.astype(np.float32 if x.dtype == BF16 else x.dtype)
        if to == np.uint64:  # numpy goes through i64 on some machines
            return np.where(
                x >= 2.0**63, (x - x.dtype.type(2.0**63)).astype(to) + np.uint64(2**63), x.astype(to)
            )
        return x.astype(to)
    if to == BF16 and x.dtype not in FLOATS:
        return x.astype(np.float64).astype(to)
    return x.astype(to)


def whole(value, dtype):
    """A Python integer wrapped to the dtype."""
    bits = dtype.itemsize * 8
    value = int(value) & ((1 << bits) - 1)
    return dtype.type(value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value)


def wide(function):
    """Computed in f64 and rounded: for functions that numpy lacks, or lacks in a dtype."""
    return lambda *x: function(*(v.astype(np.float64) for v in x)).astype(x[0].dtype)


def by_element(function):
    return lambda x: np.vectorize(function, otypes=[np.float64])(x)


def safe_divisor(x, y):
    """1 where the division is not defined: such elements are not compared."""
    bad = y == 0
    if x.dtype.kind == "i":
        bad = bad | ((y == -1) & (x == np.iinfo(x.dtype).min))
    return np.where(bad, np.ones_like(y), y)


def truncmod(x, y):
    return np.fmod(x, safe_divisor(x, y))


def truncdiv(x, y):
    y = safe_divisor(x, y)
    return ((x - np.fmod(x, y)) // y).astype(x.dtype)


def shift(function):
    def run(x, y):
        valid = (y >= 0) & (y < np.array(x.dtype.itemsize * 8, dtype=np.int64).astype(x.dtype))
        return function(x, np.where(valid, y, np.zeros_like(y)))

    return run


def sign(x):
    return np.sign(x.astype(np.float64)).astype(x.dtype) if x.dtype in FLOATS else np.sign(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, 0)


def erf(x):
    return by_element(math.erf)(x)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ELEMENTWISE = {
    "neg": lambda x: np.negative(x),
    "abs": lambda x: np.abs(x),
    "sign": sign,
    "square": lambda x: x * x,
    "relu": lambda x: np.maximum(x, np.zeros_like(x)),
    "bitwise_not": np.invert,
    "logical_not": np.logical_not,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype),
    "reciprocal": lambda x: (np.ones_like(x) / x).astype(x.dtype),
    "asinh": wide(np.arcsinh),
    "acosh": wide(np.arccosh),
    "atanh": wide(np.arctanh),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "round": np.rint,
    "sigmoid": wide(sigmoid),
    "erf": wide(erf),
    "gelu": wide(gelu),
    "silu": wide(lambda x: x * sigmoid(x)),
    "softsign": wide(lambda x: x / (1 + np.abs(x))),
    "hardswish": wide(lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "relu6": wide(lambda x: np.clip(x, 0, 6)),
    "mish": wide(lambda x: x * np.tanh(softplus(x))),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": wide(np.power),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "floordiv": lambda x, y: x // safe_divisor(x, y),
    "floormod": lambda x, y: x % safe_divisor(x, y),
    "truncdiv": truncdiv,
    "truncmod": truncmod,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": shift(np.left_shift),
    "shr": shift(np.right_shift),
    "lt": lambda x, y: x < y,
    "gt": lambda x, y: x > y,
    "le": lambda x, y: x <= y,
    "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "where": np.where,
    "contiguous": lambda x: x,
    "realize": lambda x: x,
    "detach": lambda x: x,
}
for name in (
    "exp",
    "exp2",
    "log",
    "log2",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "floor",
    "ceil",
    "trunc",
):
    ELEMENTWISE[name] = getattr(np, name)


def parameter(attrs, key):
    return float(number(attrs[key]))


def softplus_beta(x, attrs):
    beta = parameter(attrs, "beta")
    return softplus(x * beta) / beta


def hardsigmoid(x, attrs):
    return np.clip(x * parameter(attrs, "alpha") + parameter(attrs, "beta"), 0, 1)


def leaky_relu(x, attrs):
    return np.where(x < 0, x * parameter(attrs, "slope"), x)


def elu(x, attrs):
    return np.where(x > 0, x, parameter(attrs, "alpha") * np.expm1(x))


def celu(x, attrs):
    alpha = parameter(attrs, "alpha")
    return np.where(x > 0, x, alpha * np.expm1(x / alpha))


PARAMETRIC = {
    "softplus": softplus_beta,
    "hardsigmoid": hardsigmoid,
    "leaky_relu": leaky_relu,
    "elu": elu,
    "celu": celu,
}
REDUCES = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def reduce(op, x, attrs):
    axes, keepdim = tuple(attrs["axes"]), attrs["keepdim"]
    if op in ("sum", "prod"):
        if x.dtype == BF16:
            return REDUCES[op](x.astype(np.float32), axis=axes, keepdims=keepdim).astype(BF16)
        return REDUCES[op](x, axis=axes, keepdims=keepdim, dtype=x.dtype)
    return REDUCES[op](x, axis=axes, keepdims=keepdim)


def clamp(x, attrs):
    low, high = (
        np.array(number(attrs[key]), dtype=np.float64) if x.dtype in FLOATS else int(number(attrs[key]))
        for key in ("min", "max")
    )
    return np.minimum(np.maximum(x, np.array(low).astype(x.dtype)), np.array(high).astype(x.dtype)).astype(
        x.dtype
    )


def source(node, inputs):
    dtype, shape, attrs = DTYPES[node["dtype"]], node["shape"], node["attrs"]
    if node["op"] == "input":
        return np.frombuffer(bytes.fromhex(inputs[node["name"]]), dtype=dtype).reshape(shape)
    if node["op"] == "full":
        value = number(attrs["value"])
        if dtype == np.bool_ or dtype in FLOATS:
            return np.full(shape, value).astype(np.float64).astype(dtype)
        return np.full(shape, whole(value, dtype), dtype=dtype)
    values = [attrs["start"] + k * attrs["step"] for k in range(shape[0])]
    if dtype in FLOATS:
        return np.array(values, dtype=np.float64).astype(dtype)
    return np.array([whole(v, dtype) for v in values], dtype=dtype)


def move(op, src, attrs):
    x = src[0]
    if op == "reshape":
        return x.reshape(attrs["shape"])
    if op == "permute":
        return x.transpose(attrs["axes"])
    if op == "expand":
        return np.broadcast_to(x, attrs["shape"])
    if op == "pad":
        return np.pad(x, attrs["padding"]) if x.ndim else x
    if op == "shrink":
        return x[tuple(slice(begin, end) for begin, end in attrs["bounds"])]
    if op == "flip":
        return np.flip(x, tuple(attrs["axes"]))
    if op == "cat":
        return np.concatenate(src, axis=attrs["axis"])
    return None


def evaluate_node(node, src, inputs, composites):
    op, attrs = node["op"], node["attrs"]
    if op in ("input", "full", "arange"):
        return source(node, inputs)
    if op in ELEMENTWISE:
        return ELEMENTWISE[op](*src)
    if op in PARAMETRIC:
        return wide(lambda x: PARAMETRIC[op](x, attrs))(src[0])
    if op == "clamp":
        return clamp(src[0], attrs)
    if op == "cast":
        return cast(src[0], DTYPES[attrs["to"]])
    if op == "bitcast":
        return np.array(src[0], order="C").view(DTYPES[attrs["to"]])
    if op in REDUCES:
        return reduce(op, src[0], attrs)
    moved = move(op, src, attrs) if src else None
    if moved is not None:
        return moved
    if not composites or op not in COMPOSITES:
        raise Unsupported(op)
    return COMPOSITES[op](node, src)


def evaluate(program, inputs, composites):
    values = {}
    for node in program["nodes"]:
        try:
            value = evaluate_node(node, [values[name] for name in node["src"]], inputs, composites)
        except Unsupported:
            raise
        except Exception as error:
            raise RuntimeError(f"in {node}") from error
        value = np.asarray(value)
        wanted = DTYPES[node["dtype"]]
        if value.dtype != wanted or list(value.shape) != node["shape"]:
            raise TypeError(f"{node['op']} gives {value.dtype}{value.shape}, not {wanted}{node['shape']}")
        values[node["name"]] = value
    return [np.ascontiguousarray(values[name]).tobytes().hex() for name in program["outputs"]]


def main():
    np.seterr(all="ignore")
    with open(sys.argv[1]) as cases, open(sys.argv[2], "w") as results:
        for line in cases:
            case = json.loads(line)
            result = {"own": evaluate(case["own"], case["inputs"], False)}
            try:
                result["plain"] = evaluate(case["plain"], case["inputs"], True)
            except Unsupported as missing:
                result["missing"] = str(missing)
            results.write(json.dumps(result) + "\n")


main()
