"""Every elementwise operation in every dtype it has, against plain Python."""

import math
import struct

import pytest
from asking import ALL, FLOATS, INTS, NUMBERS, Array, bounds, by_dtypes, check, wrap

SIGNED = ["i8", "i16", "i32", "i64"]


def sample(dtype):
    """Six values, and six to go with them: no division by zero, nor of the lowest by -1."""
    if dtype == "bool":
        return [True, False, True, True, False, False], [True, True, False, True, False, True]
    if dtype in FLOATS:
        return [-2.5, 0.0, 0.5, 1.0, 3.0, -0.25], [0.5, 2.0, -4.0, 1.0, 3.0, 0.25]
    low, high = bounds(dtype)
    if low:
        return [low, high, 7, -7, -8, 3], [3, -2, 2, 2, -5, 3]
    return [0, high, 7, 200, 1, 3], [3, 2, 2, 7, 5, 250]


POSITIVE = [0.25, 1.0, 2.0, 9.0, 0.5, 3.0]
UNIT = [-0.75, -0.5, 0.0, 0.25, 0.5, 0.75]
HALVES = [-2.5, -0.5, 0.5, 1.5, 2.5, -1.75]
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -1.0, 1.0]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def held(x, low, high):
    return min(max(x, low), high)


def gelu(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sign(x):
    return (x > 0) - (x < 0)


UNARY = [
    ("neg", NUMBERS, None, lambda x: -x),
    ("abs", NUMBERS, None, abs),
    ("sign", NUMBERS, None, sign),
    ("square", NUMBERS, None, lambda x: x * x),
    ("relu", NUMBERS, None, lambda x: max(x, 0)),
    ("bitwise_not", INTS, None, lambda x: ~x),
    ("logical_not", ["bool"], None, lambda x: not x),
    ("sqrt", FLOATS, POSITIVE, math.sqrt),
    ("rsqrt", FLOATS, POSITIVE, lambda x: 1 / math.sqrt(x)),
    ("reciprocal", FLOATS, POSITIVE, lambda x: 1 / x),
    ("exp", FLOATS, None, math.exp),
    ("exp2", FLOATS, None, lambda x: 2**x),
    ("log", FLOATS, POSITIVE, math.log),
    ("log2", FLOATS, POSITIVE, math.log2),
    ("sin", FLOATS, None, math.sin),
    ("cos", FLOATS, None, math.cos),
    ("tan", FLOATS, UNIT, math.tan),
    ("asin", FLOATS, UNIT, math.asin),
    ("acos", FLOATS, UNIT, math.acos),
    ("atan", FLOATS, None, math.atan),
    ("sinh", FLOATS, None, math.sinh),
    ("cosh", FLOATS, None, math.cosh),
    ("tanh", FLOATS, None, math.tanh),
    ("asinh", FLOATS, None, math.asinh),
    ("acosh", FLOATS, [1.0, 1.5, 2.0, 3.0, 8.0, 100.0], math.acosh),
    ("atanh", FLOATS, UNIT, math.atanh),
    ("floor", FLOATS, HALVES, math.floor),
    ("ceil", FLOATS, HALVES, math.ceil),
    ("trunc", FLOATS, HALVES, math.trunc),
    ("round", FLOATS, HALVES, round),
    ("sigmoid", FLOATS, None, sigmoid),
    ("erf", FLOATS, None, math.erf),
    ("gelu", FLOATS, None, gelu),
    ("silu", FLOATS, None, lambda x: x * sigmoid(x)),
    ("softsign", FLOATS, None, lambda x: x / (1 + abs(x))),
    ("hardswish", FLOATS, None, lambda x: x * held(x + 3, 0, 6) / 6),
    ("relu6", FLOATS, [-1.0, 0.0, 5.5, 6.0, 7.0, 100.0], lambda x: held(x, 0, 6)),
    ("mish", FLOATS, None, lambda x: x * math.tanh(math.log1p(math.exp(x)))),
]
WITH_ATTRIBUTES = [
    ("clamp", NUMBERS, {"min": 1.0, "max": 3.0}, lambda x: held(x, 1, 3)),
    ("softplus", FLOATS, {"beta": 1.0}, lambda x: math.log1p(math.exp(x))),
    ("hardsigmoid", FLOATS, {"alpha": 0.25, "beta": 0.5}, lambda x: held(x / 4 + 0.5, 0, 1)),
    ("leaky_relu", FLOATS, {"slope": 0.25}, lambda x: x if x > 0 else x / 4),
    ("elu", FLOATS, {"alpha": 0.5}, lambda x: x if x > 0 else math.expm1(x) / 2),
    ("celu", FLOATS, {"alpha": 0.5}, lambda x: x if x > 0 else math.expm1(x / 0.5) / 2),
]


def truncdiv(x, y):
    return abs(x) // abs(y) * sign(x) * sign(y)


def power(x, y):
    return math.pow(x, y) if x >= 0 or y == int(y) else math.nan


BINARY = [
    ("add", NUMBERS, lambda x, y: x + y),
    ("sub", NUMBERS, lambda x, y: x - y),
    ("mul", NUMBERS, lambda x, y: x * y),
    ("maximum", NUMBERS, max),
    ("minimum", NUMBERS, min),
    ("div", FLOATS, lambda x, y: x / y),
    ("pow", FLOATS, power),
    ("floordiv", INTS, lambda x, y: x // y),
    ("floormod", INTS, lambda x, y: x % y),
    ("truncdiv", INTS, truncdiv),
    ("truncmod", INTS, lambda x, y: x - y * truncdiv(x, y)),
    ("and", ["bool", *INTS], lambda x, y: x & y),
    ("or", ["bool", *INTS], lambda x, y: x | y),
    ("xor", ["bool", *INTS], lambda x, y: x ^ y),
]
COMPARE = [
    ("lt", NUMBERS, lambda x, y: x < y),
    ("gt", NUMBERS, lambda x, y: x > y),
    ("le", NUMBERS, lambda x, y: x <= y),
    ("ge", NUMBERS, lambda x, y: x >= y),
    ("eq", ALL, lambda x, y: x == y),
    ("ne", ALL, lambda x, y: x != y),
]


def vector(values):
    return Array([len(values)], values)


def ids(cases):
    return [case[0] for case in cases]


@pytest.mark.parametrize("op,dtypes,values,function", [p for case in UNARY for p in by_dtypes(*case)])
def test_unary(op, dtypes, values, function):
    given = [values or sample(dtype)[0] for dtype in dtypes]
    operands = [[(dtype, vector(x))] for dtype, x in zip(dtypes, given, strict=True)]
    check(op, operands, [vector([function(v) for v in x]) for x in given], dtypes)


@pytest.mark.parametrize("op,dtypes,attrs,function", WITH_ATTRIBUTES, ids=ids(WITH_ATTRIBUTES))
def test_unary_with_attributes(op, dtypes, attrs, function):
    operands = [[(dtype, vector(sample(dtype)[0]))] for dtype in dtypes]
    check(op, operands, [vector(map_values(function, dtype)) for dtype in dtypes], dtypes, attrs)


def map_values(function, dtype):
    return [function(v) for v in sample(dtype)[0]]


@pytest.mark.parametrize("op,function", [("isnan", math.isnan), ("isinf", math.isinf)])
def test_specials(op, function):
    operands = [[(dtype, vector(SPECIAL))] for dtype in FLOATS]
    check(op, operands, [vector([function(v) for v in SPECIAL])] * 4, ["bool"] * 4)


@pytest.mark.parametrize("op,dtypes,function", BINARY + COMPARE, ids=ids(BINARY + COMPARE))
def test_binary(op, dtypes, function):
    operands = [[(dtype, vector(values)) for values in sample(dtype)] for dtype in dtypes]
    expected = [vector([function(x, y) for x, y in zip(*sample(dtype), strict=True)]) for dtype in dtypes]
    check(op, operands, expected, ["bool"] * len(dtypes) if (op, dtypes, function) in COMPARE else dtypes)


@pytest.mark.parametrize("op", ["shl", "shr"])
def test_shifts(op):
    operands, expected = [], []
    for dtype in INTS:
        values, last = sample(dtype)[0], int(dtype[1:]) - 1
        amounts = [1, 1, last, 2, 0, 3]
        operands.append([(dtype, vector(values)), (dtype, vector(amounts))])
        shifted = [x << k if op == "shl" else x >> k for x, k in zip(values, amounts, strict=True)]
        expected.append(vector(shifted))
    check(op, operands, expected, INTS)


def test_where():
    condition = sample("bool")[0]
    operands = [[("bool", vector(condition)), *((dtype, vector(v)) for v in sample(dtype))] for dtype in ALL]
    chosen = [[x if c else y for c, x, y in zip(condition, *sample(dtype), strict=True)] for dtype in ALL]
    check("where", operands, list(map(vector, chosen)), ALL)


def test_lerp():
    x, y, z = [1.0, -2.0, 3.0], [2.0, 2.0, -4.0], [0.5, 0.25, 1.0]
    operands = [[(dtype, vector(v)) for v in (x, y, z)] for dtype in FLOATS]
    check("lerp", operands, [vector([1.5, -1.0, -4.0])] * 4, FLOATS)


def cast(value, source, target):
    if target == "bool":
        return value != 0
    return float(value) if target in FLOATS else wrap(int(value), target)


def representable(source, target):
    """Values of a dtype that have a value in another one; what a float rounds to is not asked here."""
    if source in FLOATS:
        return [1.75, 0.0, 3.0, 100.0] + ([-1.75] if target in FLOATS + SIGNED else [])
    values = sample(source)[0]
    return [1, 0, 3, 100] if target in FLOATS and source != "bool" else values


@pytest.mark.parametrize("target", ALL)
def test_cast(target):
    operands = [[(source, vector(representable(source, target)))] for source in ALL]
    expected = [vector([cast(v, s, target) for v in representable(s, target)]) for s in ALL]
    check("cast", operands, expected, [target] * len(ALL), {"to": target})


BITS = [("f16", "u16", "e", "H"), ("f32", "i32", "f", "i"), ("f64", "u64", "d", "Q"), ("i8", "u8", "b", "B")]
BITS += [("f16", "i16", "e", "h"), ("f32", "u32", "f", "I"), ("f64", "i64", "d", "q")]


@pytest.mark.parametrize("one,other,code,code_of_other", BITS)
def test_bitcast(one, other, code, code_of_other):
    values = [1, 0, 3, -2]
    bits = [struct.unpack("<" + code_of_other, struct.pack("<" + code, v))[0] for v in values]
    check("bitcast", [[(one, vector(values))]], [vector(bits)], [other], {"to": other})
    check("bitcast", [[(other, vector(bits))]], [vector(values)], [one], {"to": one})


def test_bitcast_of_bf16():
    values, bits = vector([1, -2]), vector([0x3F80, 0xC000])
    check("bitcast", [[("bf16", values)]], [bits], ["u16"], {"to": "u16"})
    check("bitcast", [[("u16", bits)]], [values], ["bf16"], {"to": "bf16"})
