"""Extents that are a variable of the kernels: values, kernels, and what is refused."""

import math

import pytest
from asking import Array, agree, ask, node, pack, unpack

X = Array.of([4, 5], lambda i, j: (5 * i + 3 * j) % 7 / 4 - 0.5)


def bound(axis, size=3, name="s", source="x", **attrs):
    """`s`: of `axis` of `x` the first elements, as many as the variable says."""
    shape = [size if k == axis else n for k, n in enumerate([4, 5])]
    attrs = {"axis": axis, "min": 1, "max": [4, 5][axis], "size": size} | attrs
    return node(name, "bind_shrink", "f32", shape, [source], **attrs)


def request(nodes, outputs, values=True):
    x = node("x", "input", "f32", [4, 5], fill="small", seed=0)
    return ask([x, *nodes], outputs, {"x": pack("f32", X.values)}, values, source=True)


def part(axis, size=3):
    return Array.of([size, 5] if axis == 0 else [4, size], lambda i, j: X[i, j])


def softmax(line):
    return [math.exp(v) / sum(map(math.exp, line)) for v in line]


def log_sum(line):
    return [math.log(sum(map(math.exp, line)))]


ALONG = [
    ("sum", lambda line: [sum(line)]),
    ("max", lambda line: [max(line)]),
    ("mean", lambda line: [sum(line) / len(line)]),
    ("logsumexp", log_sum),
    ("softmax", softmax),
    ("cumsum", lambda line: [sum(line[: k + 1]) for k in range(len(line))]),
]


@pytest.mark.parametrize("axis", [0, 1])
def test_along_and_beside(axis):
    nodes, outputs, expected = [bound(axis)], [], []
    for op, function in ALONG:
        for along in (0, 1):
            attrs = {"axis": along} if op in ("softmax", "cumsum") else {"axes": [along], "keepdim": True}
            expected.append(part(axis).along(along, function))
            nodes.append(node(f"{op}{along}", op, "f32", expected[-1].shape, ["s"], **attrs))
            outputs.append(nodes[-1]["name"])
    reply = request(nodes, outputs)
    assert reply["status"] == "ok", reply["message"]
    for name, output, wanted in zip(outputs, reply["outputs"], expected, strict=True):
        assert output["shape"] == wanted.shape and agree(unpack(output), wanted.values, "f32"), name


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("size", [1, 3, 4])
def test_elementwise_movement_and_boundaries(axis, size):
    shape = part(axis, size).shape
    turned = shape[::-1]
    nodes = [
        bound(axis, size),
        node("two", "full", "f32", shape, value=2.0),
        node("double", "mul", "f32", shape, ["s", "two"]),
        node("highest", "max", "f32", [1, shape[1]], ["double"], axes=[0], keepdim=True),
        node("wide", "expand", "f32", shape, ["highest"], shape=shape),
        node("less", "sub", "f32", shape, ["double", "wide"]),
        node("ran", "realize", "f32", shape, ["less"]),
        node("turned", "permute", "f32", turned, ["ran"], axes=[1, 0]),
        node("kept", "contiguous", "f32", turned, ["turned"]),
        node("back", "flip", "f32", turned, ["kept"], axes=[axis]),
        node("more", "reshape", "f32", [turned[0], 1, turned[1]], ["back"], shape=[turned[0], 1, turned[1]]),
    ]
    reply = request(nodes, ["less", "more"])
    assert reply["status"] == "ok", reply["message"]
    highest = [max(2 * X[i, j] for i in range(shape[0])) for j in range(shape[1])]
    less = Array.of(shape, lambda i, j: 2 * X[i, j] - highest[j])
    more = Array.of(
        turned, lambda i, j: less[(j, turned[0] - 1 - i) if axis == 0 else (turned[1] - 1 - j, i)]
    )
    assert [unpack(output) for output in reply["outputs"]] == [less.values, more.values]


def test_products():
    nodes = [
        bound(0),
        node("t", "permute", "f32", [5, 3], ["s"], axes=[1, 0]),
        node("outer", "matmul", "f32", [3, 3], ["s", "t"]),
        node("inner", "matmul", "f32", [5, 5], ["t", "s"]),
    ]
    reply = request(nodes, ["outer", "inner"])
    outer = Array.of([3, 3], lambda i, j: sum(X[i, k] * X[j, k] for k in range(5)))
    inner = Array.of([5, 5], lambda i, j: sum(X[k, i] * X[k, j] for k in range(3)))
    assert [output["shape"] for output in reply["outputs"]] == [[3, 3], [5, 5]]
    assert all(
        agree(unpack(o), w.values, "f32") for o, w in zip(reply["outputs"], [outer, inner], strict=True)
    )


def test_the_kernel_takes_the_extent_as_an_argument():
    reply = request([bound(1), node("n", "neg", "f32", [4, 3], ["s"])], ["n"])
    (kernel,) = reply["kernels"]
    graph = kernel["graph"]
    (variable,) = (k for k, n in enumerate(graph) if n[0] == "DEFINE_VAR")
    assert graph[variable][2] == ["v", 1, 5] and "const int v" in kernel["source"]
    assert [n[3] for n in graph if n[0] == "RANGE"].count([variable]) == 1
    assert kernel["buffers"][0] == {
        "kind": "output",
        "index": 0,
        "dtype": "f32",
        "size": 20,
    }  # for the largest


def test_the_same_kernels_for_every_size():
    kernels = [request([bound(0, size), node("n", "exp", "f32", [size, 5], ["s"])], ["n"]) for size in (2, 3)]
    assert kernels[0]["kernels"] == kernels[1]["kernels"]


def test_a_window_of_known_extent_mixes_with_others():
    nodes = [
        bound(0),
        node("w", "shrink", "f32", [3, 5], ["s"], bounds=[[0, 3], [0, 5]]),
        node("y", "shrink", "f32", [3, 5], ["x"], bounds=[[1, 4], [0, 5]]),
        node("r", "add", "f32", [3, 5], ["w", "y"]),
    ]
    expected = Array.of([3, 5], lambda i, j: X[i, j] + X[i + 1, j])
    assert unpack(request(nodes, ["r"])["outputs"][0]) == expected.values


OTHER = node("y", "shrink", "f32", [3, 5], ["x"], bounds=[[1, 4], [0, 5]])
REFUSED = [
    ([bound(0, name="r", min=0)], "a variable extent that may be 0, or has one value only"),
    ([bound(0, name="r", min=3, max=3)], "a variable extent that may be 0, or has one value only"),
    ([bound(0), bound(1, name="r")], "more than one variable extent"),
    ([bound(0), node("r", "argmax", "i32", [5], ["s"], axis=0)], "argmax of a variable extent"),
    ([bound(0), node("r", "reshape", "f32", [15], ["s"])], "reshape of a variable extent into others"),
    (
        [bound(0), OTHER, node("r", "add", "f32", [3, 5], ["s", "y"])],
        "a variable extent beside one that is not",
    ),
]


@pytest.mark.parametrize("nodes,message", REFUSED, ids=[message for _, message in REFUSED])
def test_what_is_refused(nodes, message):
    reply = request(nodes, ["r"])
    assert (reply["status"], reply["message"]) == ("unsupported", message)
