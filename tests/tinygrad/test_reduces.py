"""Reduces, scans and orders in every dtype, against plain Python."""

import math
from itertools import accumulate
from operator import mul

import pytest
from asking import FLOATS, INTS, NUMBERS, Array, ask, bounds, by_dtypes, check, node, pack, unpack, wrap
from tinygrad import Tensor

SHAPE = [2, 3, 2]


def array(dtype):
    """With equal elements, and for integers with the lowest and the highest value."""
    values = [3, 1, 2, 1, 3, 2, 2, 2, 1, 1, 4, 3]
    if dtype in INTS:
        values[3], values[7] = bounds(dtype)
    elif dtype != "bool":
        values = [v / 2 - 1 for v in values]
    return Array(SHAPE, [v > 1 for v in values] if dtype == "bool" else values)


def variance(x):
    return sum((v - sum(x) / len(x)) ** 2 for v in x) / (len(x) - 1)


def log_sum(x):
    return math.log(sum(map(math.exp, x)))


REDUCES = [
    ("sum", NUMBERS, sum),
    ("prod", NUMBERS, math.prod),
    ("max", NUMBERS, max),
    ("min", NUMBERS, min),
    ("any", ["bool"], any),
    ("all", ["bool"], all),
    ("mean", FLOATS, lambda x: sum(x) / len(x)),
    ("var", FLOATS, variance),
    ("std", FLOATS, lambda x: math.sqrt(variance(x))),
    ("logsumexp", FLOATS, log_sum),
]


def reduced(x, axes, keepdim, function):
    kept = [1 if axis in axes else n for axis, n in enumerate(SHAPE)]
    groups = {}
    for index, value in zip(Array.of(SHAPE, lambda *index: index).values, x.values, strict=True):
        groups.setdefault(tuple(0 if axis in axes else i for axis, i in enumerate(index)), []).append(value)
    shape = kept if keepdim else [n for axis, n in enumerate(SHAPE) if axis not in axes]
    return Array(shape, [function(values) for values in groups.values()])


@pytest.mark.parametrize("axes,keepdim", [([1], False), ([0, 2], True)], ids=["one", "two"])
@pytest.mark.parametrize("op,dtypes,function", REDUCES, ids=[case[0] for case in REDUCES])
def test_reduce(op, dtypes, function, axes, keepdim):
    operands = [[(dtype, array(dtype))] for dtype in dtypes]
    expected = [reduced(x, axes, keepdim, function) for [(_, x)] in operands]
    check(op, operands, expected, dtypes, {"axes": axes, "keepdim": keepdim})


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("op,best", [("argmax", max), ("argmin", min)])
def test_the_first_extreme(op, best, keepdim):
    operands = [[(dtype, array(dtype))] for dtype in NUMBERS]
    expected = [reduced(x, [1], keepdim, lambda v: v.index(best(v))) for [(_, x)] in operands]
    check(op, operands, expected, ["i32"] * len(NUMBERS), {"axis": 1, "keepdim": keepdim})


def softmax(x):
    return [math.exp(v) / sum(map(math.exp, x)) for v in x]


def order(x, descending):
    """Stable in both directions."""
    return sorted(range(len(x)), key=lambda k: -x[k] if descending else x[k])


SCANS = [
    ("softmax", FLOATS, {}, softmax),
    ("log_softmax", FLOATS, {}, lambda x: [math.log(v) for v in softmax(x)]),
    ("cumsum", NUMBERS, {}, lambda x: list(accumulate(x))),
    ("cumprod", NUMBERS, {}, lambda x: list(accumulate(x, mul))),
    ("sort", NUMBERS, {"descending": False}, sorted),
    ("sort", NUMBERS, {"descending": True}, lambda x: sorted(x, reverse=True)),
    ("topk", NUMBERS, {"k": 2, "largest": True}, lambda x: sorted(x, reverse=True)[:2]),
    ("topk", NUMBERS, {"k": 1, "largest": False}, lambda x: sorted(x)[:1]),
]


@pytest.mark.parametrize("op,dtypes,attrs,function", [p for case in SCANS for p in by_dtypes(*case)])
def test_scan(op, dtypes, attrs, function):
    operands = [[(dtype, array(dtype))] for dtype in dtypes]
    check(op, operands, [x.along(1, function) for [(_, x)] in operands], dtypes, {"axis": 1, **attrs})


@pytest.mark.parametrize("descending", [False, True])
def test_argsort(descending):
    operands = [[(dtype, array(dtype))] for dtype in NUMBERS]
    expected = [x.along(1, lambda line: order(line, descending)) for [(_, x)] in operands]
    check("argsort", operands, expected, ["i32"] * len(NUMBERS), {"axis": 1, "descending": descending})


@pytest.mark.xfail(strict=True, reason="adds a maximum without the kept axis: the shape is [4, 4]")
def test_logsumexp_keeps_the_axis():
    """The adapter calls it without keepdim, see `_logsumexp` of operations_tensor.py."""
    assert Tensor.empty(4, 3).logsumexp(1, keepdim=True).shape == (4, 1)


def test_longer_sums_wrap_or_keep_their_dtype():
    values = [100] * 40
    operands = [[(dtype, Array([40], values))] for dtype in INTS]
    expected = [Array([], [wrap(4000, dtype)]) for dtype in INTS]
    check("sum", operands, expected, INTS, {"axes": [0], "keepdim": False})


@pytest.mark.parametrize("op,value", [("sum", 0), ("prod", 1)])
def test_of_no_elements(op, value):
    nodes, outputs = [node("x", "input", "i32", [2, 0], fill="small", seed=0)], []
    for dtype in NUMBERS:
        nodes.append(node(f"c{dtype}", "cast", dtype, [2, 0], ["x"], to=dtype))
        nodes.append(node(dtype, op, dtype, [2], [f"c{dtype}"], axes=[1], keepdim=False))
        outputs.append(dtype)
    reply = ask(nodes, outputs, {"x": pack("i32", [])})
    assert reply["status"] == "ok", reply["message"]
    assert [(o["dtype"], unpack(o)) for o in reply["outputs"]] == [(dtype, [value] * 2) for dtype in NUMBERS]
