"""Products, windows, norms, losses and indexing in every dtype, against plain Python."""

import math

import pytest
from asking import FLOATS, INTS, NUMBERS, Array, by_dtypes, check, indices


def array(dtype, shape, first=1):
    """Small whole numbers of changing sign where there is one; quarters of them for floats."""
    count = math.prod(shape)
    values = [(5 * k + first) % 7 - (0 if dtype[0] == "u" else 3) for k in range(count)]
    return Array(shape, [v / 4 for v in values] if dtype in FLOATS else values)


def test_matmul_and_linear_and_dot():
    def products(x, y, bias=None):
        n = x.shape[-1]

        def element(*index):
            *outer, i, j = index
            total = sum(x[(*outer, i, k)] * y[(*outer, k, j)] for k in range(n))
            return total if bias is None else total + bias[j]

        return Array.of([*x.shape[:-1], y.shape[-1]], element)

    def each(dtypes, *shapes):
        return [[(d, array(d, s, 1 + k)) for k, s in enumerate(shapes)] for d in dtypes]

    pairs = each(NUMBERS, [2, 2, 3], [2, 3, 2])
    check("matmul", pairs, [products(x, y) for [(_, x), (_, y)] in pairs], NUMBERS)
    triples = each(FLOATS, [2, 3], [3, 4], [4])
    check("linear", triples, [products(x, w, b) for [(_, x), (_, w), (_, b)] in triples], FLOATS)
    vectors = each(NUMBERS, [5], [5])
    dots = [
        Array([], [sum(a * b for a, b in zip(x.values, y.values, strict=True))])
        for [(_, x), (_, y)] in vectors
    ]
    check("dot", vectors, dots, NUMBERS)


EINSUMS = [
    ("ij_jk_ik", [[2, 3], [3, 2]]),
    ("ij_ji", [[2, 3]]),
    ("ij_j_ik_k", [[2, 3], [3], [2, 2]]),
    ("ij_i", [[2, 3]]),
]


@pytest.mark.parametrize("formula,shapes", EINSUMS, ids=[formula for formula, _ in EINSUMS])
def test_einsum(formula, shapes):
    *letters, result = formula.split("_")
    extent = {
        a: n for word, shape in zip(letters, shapes, strict=True) for a, n in zip(word, shape, strict=True)
    }
    summed = [a for a in extent if a not in result]
    operands = [[(dtype, array(dtype, s, 1 + k)) for k, s in enumerate(shapes)] for dtype in NUMBERS]

    def contraction(given):
        def element(*index):
            total = 0
            for inner in indices([extent[a] for a in summed]):
                at = dict(zip([*result, *summed], [*index, *inner], strict=True))
                words = zip(given, letters, strict=True)
                total += math.prod(x[tuple(at[a] for a in word)] for (_, x), word in words)
            return total

        return Array.of([extent[a] for a in result], element)

    check("einsum", operands, list(map(contraction, operands)), NUMBERS, {"formula": formula})


def softmax(x):
    highest = max(x)
    return [math.exp(v - highest) / sum(math.exp(w - highest) for w in x) for v in x]


@pytest.mark.parametrize("mask", ["none", "causal", "bool"])
def test_sdpa(mask):
    allowed = Array([3, 4], [(k * 3) % 4 != 1 or k % 4 == 0 for k in range(12)])

    def attention(q, k, v):
        def element(b, i, j):
            rows = [r for r in range(4) if (mask != "causal" or r <= i) and (mask != "bool" or allowed[i, r])]
            weights = softmax([sum(q[b, i, e] * k[b, r, e] for e in range(2)) / math.sqrt(2) for r in rows])
            return sum(w * v[b, r, j] for w, r in zip(weights, rows, strict=True))

        return Array.of([2, 3, 2], element)

    shapes = [[2, 3, 2], [2, 4, 2], [2, 4, 2]]
    operands = [[(d, array(d, s, 1 + k)) for k, s in enumerate(shapes)] for d in FLOATS]
    expected = [attention(*(x for _, x in given)) for given in operands]
    if mask == "bool":
        batches = Array.of([2, 3, 4], lambda b, i, j: allowed[i, j])
        operands = [[*given, ("bool", batches)] for given in operands]
    check("sdpa", operands, expected, FLOATS, {"causal": mask == "causal"})


# Attributes of a walk, by number of spatial axes.
WALKS = [
    ([5, 4], [2, 2], {"stride": [2, 1], "padding": [[1, 0], [0, 1]], "dilation": [1, 2]}),
    ([6], [3], {"stride": [1], "padding": [[1, 1]], "dilation": [1]}),
]


def places(position, kernel, walk, shape):
    """Offset in the kernel and index in the operand (None: in the padding) of one window."""
    for offset in indices(kernel):
        axes = zip(position, walk["stride"], walk["padding"], offset, walk["dilation"], strict=True)
        index = tuple(p * stride - before + o * dilation for p, stride, (before, _), o, dilation in axes)
        yield offset, index if all(0 <= i < n for i, n in zip(index, shape, strict=True)) else None


def walked(shape, kernel, walk):
    axes = zip(shape, kernel, walk["stride"], walk["padding"], walk["dilation"], strict=True)
    return [(n + sum(pad) - d * (k - 1) - 1) // s + 1 for n, k, s, pad, d in axes]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("shape,kernel,walk", WALKS, ids=["plane", "line"])
def test_conv(shape, kernel, walk, groups):
    inputs, outputs = 4 // groups, 2 // groups

    def convolution(x, w, bias):
        def element(n, o, *position):
            total, first = bias[o], o // outputs * inputs
            for offset, index in places(position, kernel, walk, shape):
                if index is not None:
                    total += sum(x[(n, first + c, *index)] * w[(o, c, *offset)] for c in range(inputs))
            return total

        return Array.of([1, 2, *walked(shape, kernel, walk)], element)

    shapes = [[1, 4, *shape], [2, inputs, *kernel], [2]]
    operands = [[(d, array(d, s, 1 + k)) for k, s in enumerate(shapes)] for d in FLOATS]
    expected = [convolution(*(x for _, x in given)) for given in operands]
    check("conv", operands, expected, FLOATS, {"groups": groups, **walk})


@pytest.mark.parametrize("shape,kernel", [([3, 2], [2, 2]), ([4], [3])], ids=["plane", "line"])
def test_conv_transpose(shape, kernel):
    """groups=2; each element is added to the places that a convolution would have read it from."""
    rank = len(shape)
    walk = {"stride": [2] * rank, "padding": [[1, 1]] * rank, "dilation": [1] * rank}
    size = [(n - 1) * 2 - 2 + k + 1 for n, k in zip(shape, kernel, strict=True)]  # output_padding 1

    def transposed(x, w, bias):
        total = {index: bias[index[1]] for index in indices([1, 4, *size])}
        for n, c, *position in indices([1, 2, *shape]):
            for offset, index in places(position, kernel, walk, size):
                for o in range(2):
                    if index is not None:
                        total[(n, c * 2 + o, *index)] += x[(n, c, *position)] * w[(c, o, *offset)]
        return Array([1, 4, *size], total.values())

    operands = [
        [(d, array(d, s, 1 + k)) for k, s in enumerate([[1, 2, *shape], [2, 2, *kernel], [4]])]
        for d in FLOATS
    ]
    expected = [transposed(*(x for _, x in given)) for given in operands]
    check("conv_transpose", operands, expected, FLOATS, {"groups": 2, "output_padding": [1] * rank, **walk})


def pooled(x, shape, kernel, walk, function):
    def element(n, c, *position):
        window = [index for _, index in places(position, kernel, walk, shape)]
        return function([x[(n, c, *index)] for index in window if index is not None], len(window))

    return Array.of([1, 2, *walked(shape, kernel, walk)], element)


POOLS = [("max_pool plane", *WALKS[0]), ("max_pool line", *WALKS[1])]


@pytest.mark.parametrize(
    "_,dtypes,shape,kernel,walk", [p for name, *walk in POOLS for p in by_dtypes(name, INTS + FLOATS, *walk)]
)
def test_max_pool(_, dtypes, shape, kernel, walk):
    operands = [[(d, array(d, [1, 2, *shape]))] for d in dtypes]
    expected = [pooled(x, shape, kernel, walk, lambda values, _: max(values)) for [(_, x)] in operands]
    check("max_pool", operands, expected, dtypes, {"kernel": kernel, **walk})


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("shape,kernel,walk", WALKS, ids=["plane", "line"])
def test_avg_pool(shape, kernel, walk, counted):
    operands = [[(d, array(d, [1, 2, *shape]))] for d in FLOATS]

    def mean(values, count):
        return sum(values) / (count if counted else len(values))

    expected = [pooled(x, shape, kernel, walk, mean) for [(_, x)] in operands]
    check("avg_pool", operands, expected, FLOATS, {"kernel": kernel, "count_include_pad": counted, **walk})


def layernorm(x):
    mean = sum(x) / len(x)
    variance = sum((v - mean) ** 2 for v in x) / len(x)
    return [(v - mean) / math.sqrt(variance + 0.25) for v in x]


def rms_norm(x):
    return [v / math.sqrt(sum(w * w for w in x) / len(x) + 0.25) for v in x]


@pytest.mark.parametrize("op,function", [("layernorm", layernorm), ("rms_norm", rms_norm)])
def test_norm(op, function):
    operands = [[(d, array(d, [2, 4]))] for d in FLOATS]
    check(op, operands, [x.along(1, function) for [(_, x)] in operands], FLOATS, {"eps": 0.25})


def test_batchnorm():
    def normalised(x, scale, bias, mean, invstd):
        return Array.of([2, 3, 2], lambda n, c, i: (x[n, c, i] - mean[c]) * scale[c] * invstd[c] + bias[c])

    shapes = [[2, 3, 2], [3], [3], [3], [3]]
    operands = [[(d, array(d, s, 1 + k)) for k, s in enumerate(shapes)] for d in FLOATS]
    check("batchnorm", operands, [normalised(*(x for _, x in given)) for given in operands], FLOATS)


def log_softmax(x):
    return [math.log(v) for v in softmax(x)]


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("op", ["nll_loss", "cross_entropy"])
def test_losses(op, reduction):
    target = Array([3], [2, 0, 3])

    def losses(x):
        logs = x if op == "nll_loss" else x.along(1, log_softmax)
        values = [-logs[n, target[n]] for n in range(3)]
        total = sum(values) / (3 if reduction == "mean" else 1)
        return Array([3], values) if reduction == "none" else Array([], [total])

    operands = [[(d, array(d, [3, 4])), ("i32", target)] for d in FLOATS]
    check(op, operands, [losses(x) for [(_, x), _] in operands], FLOATS, {"reduction": reduction})


# Also outside the four places: below, and above.
INDEX = Array([2, 3], [3, 0, -1, 2, 4, 2])


@pytest.mark.parametrize("_,dtypes", by_dtypes("gather", NUMBERS))
def test_gather(_, dtypes):
    def gathered(x):
        return Array.of([2, 3], lambda i, j: x[i, INDEX[i, j]] if 0 <= INDEX[i, j] < 4 else 0)

    operands = [[(d, array(d, [2, 4])), ("i32", INDEX)] for d in dtypes]
    check("gather", operands, [gathered(x) for [(_, x), _] in operands], dtypes, {"axis": 1})


@pytest.mark.parametrize("_,dtypes", by_dtypes("index_select", NUMBERS))
def test_index_select(_, dtypes):
    index = Array([4], [3, -1, 0, 4])

    def selected(x):
        return Array.of([2, 4], lambda i, j: x[i, index[j]] if 0 <= index[j] < 4 else 0)

    operands = [[(d, array(d, [2, 4])), ("i32", index)] for d in dtypes]
    check("index_select", operands, [selected(x) for [(_, x), _] in operands], dtypes, {"axis": 1})


def scattered(x, source, function):
    """`function` of the old element and of all that is written there."""
    written = {}
    for i, j in indices(INDEX.shape):
        written.setdefault((i, INDEX[i, j]), []).append(source[i, j])
    return Array.of([2, 4], lambda *at: function(x[at], written[at]) if at in written else x[at])


def test_scatter():
    operands = [[(d, array(d, [2, 4])), ("i32", INDEX), (d, array(d, [2, 3], 5))] for d in NUMBERS]
    expected = [scattered(x, source, lambda old, new: new[-1]) for [(_, x), _, (_, source)] in operands]
    check("scatter", operands, expected, NUMBERS, {"axis": 1})


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("how,function", [("sum", sum), ("prod", math.prod), ("amax", max), ("amin", min)])
def test_scatter_reduce(how, function, include):
    operands = [[(d, array(d, [2, 4])), ("i32", INDEX), (d, array(d, [2, 3], 5))] for d in NUMBERS]

    def written(old, new):
        return function([old, *new] if include else new)

    expected = [scattered(x, source, written) for [(_, x), _, (_, source)] in operands]
    check("scatter_reduce", operands, expected, NUMBERS, {"axis": 1, "reduce": how, "include_self": include})


def test_one_hot():
    expected = Array.of([2, 3, 4], lambda i, j, k: int(INDEX[i, j] == k))
    check("one_hot", [[("i32", INDEX)]], [expected], ["i32"], {"classes": 4})
