"""The tinygrad worker on the real compiler: every operation, kernels, statuses.

uv run --no-project --with tinygrad==0.12.0 --with pytest==9.2.0 python -m pytest -q tests/tinygrad
"""

import base64
import json
import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path

import pytest

WORKER = Path(__file__).parents[2] / "harness" / "backends" / "tinygrad"
sys.path.insert(0, str(WORKER))


def _put_clang_on_path():
    """The compiler calls `clang`; here as in the harness that is clang-19."""
    directory = tempfile.mkdtemp(prefix="uopdiff-test-")
    os.symlink(shutil.which("clang-19") or shutil.which("clang"), f"{directory}/clang")
    os.environ["PATH"] = f"{directory}:{os.environ['PATH']}"


_put_clang_on_path()
import operations  # noqa: E402
import worker  # noqa: E402

FORMATS = {"f32": "f", "i32": "i", "bool": "?"}


def node(name, op, dtype, shape, src=(), **attrs):
    return {"name": name, "op": op, "dtype": dtype, "shape": shape, "src": list(src), "attrs": attrs}


def pack(dtype, values):
    return base64.b64encode(struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)).decode()


def unpack(output):
    data = base64.b64decode(output["data"])
    size = struct.calcsize(FORMATS[output["dtype"]])
    return list(struct.unpack(f"<{len(data) // size}{FORMATS[output['dtype']]}", data))


def ask(nodes, outputs, inputs, values=True, **more):
    request = {"id": 1, "program": {"nodes": nodes, "outputs": outputs}, "inputs": inputs, "values": values}
    return worker.answer_line(json.dumps(request | more))


def one(op, dtype, operands, result_dtype=None, shape=None, **attrs):
    """Applies one operation to inputs of shape [2, 2]; operands are (dtype, values)."""
    nodes, inputs = [], {}
    for k, (operand_dtype, values) in enumerate(operands):
        nodes.append(node(f"x{k}", "input", operand_dtype, [2, 2], fill="small", seed=0))
        inputs[f"x{k}"] = pack(operand_dtype, values)
    src = [f"x{k}" for k in range(len(operands))]
    nodes.append(node("r", op, result_dtype or dtype, [2, 2] if shape is None else shape, src, **attrs))
    reply = ask(nodes, ["r"], inputs)
    assert reply["status"] == "ok", reply["message"]
    assert reply["outputs"][0]["dtype"] == (result_dtype or dtype)
    assert reply["outputs"][0]["shape"] == ([2, 2] if shape is None else shape)
    return unpack(reply["outputs"][0])


F = ("f32", [1.0, -2.0, 3.0, 4.0])
G = ("f32", [2.0, 2.0, -4.0, 0.5])
INTS = ("i32", [7, -7, 8, -8])
J = ("i32", [2, 2, -3, -3])
B = ("bool", [True, False, True, False])
C = ("bool", [True, True, False, False])

CASES = [
    ("reshape", [F], {}, "f32", [4], [1, -2, 3, 4]),
    ("permute", [F], {"axes": [1, 0]}, "f32", None, [1, 3, -2, 4]),
    ("pad", [F], {"padding": [[1, 0], [0, 0]]}, "f32", [3, 2], [0, 0, 1, -2, 3, 4]),
    ("shrink", [F], {"bounds": [[1, 2], [0, 2]]}, "f32", [1, 2], [3, 4]),
    ("flip", [F], {"axes": [1]}, "f32", None, [-2, 1, 4, 3]),
    ("contiguous", [F], {}, "f32", None, [1, -2, 3, 4]),
    ("cat", [F, G], {"axis": 1}, "f32", [2, 4], [1, -2, 2, 2, 3, 4, -4, 0.5]),
    ("neg", [INTS], {}, "i32", None, [-7, 7, -8, 8]),
    ("abs", [INTS], {}, "i32", None, [7, 7, 8, 8]),
    ("sqrt", [("f32", [1, 4, 9, 16])], {}, "f32", None, [1, 2, 3, 4]),
    ("exp2", [F], {}, "f32", None, [2, 0.25, 8, 16]),
    ("log2", [("f32", [1, 2, 4, 8])], {}, "f32", None, [0, 1, 2, 3]),
    ("sin", [("f32", [0, 0, 0, 0])], {}, "f32", None, [0, 0, 0, 0]),
    ("exp", [("f32", [0, 1, 0, 1])], {}, "f32", None, [1, 2.7182818, 1, 2.7182818]),
    ("log", [("f32", [1, 1, 2.7182818, 1])], {}, "f32", None, [0, 0, 1, 0]),
    ("reciprocal", [G], {}, "f32", None, [0.5, 0.5, -0.25, 2]),
    ("relu", [F], {}, "f32", None, [1, 0, 3, 4]),
    ("logical_not", [B], {}, "bool", None, [False, True, False, True]),
    ("add", [F, G], {}, "f32", None, [3, 0, -1, 4.5]),
    ("sub", [F, G], {}, "f32", None, [-1, -4, 7, 3.5]),
    ("mul", [INTS, J], {}, "i32", None, [14, -14, -24, 24]),
    ("div", [F, G], {}, "f32", None, [0.5, -1, -0.75, 8]),
    ("floordiv", [INTS, J], {}, "i32", None, [3, -4, -3, 2]),
    ("truncdiv", [INTS, J], {}, "i32", None, [3, -3, -2, 2]),
    ("floormod", [INTS, J], {}, "i32", None, [1, 1, -1, -2]),
    ("truncmod", [INTS, J], {}, "i32", None, [1, -1, 2, -2]),
    ("maximum", [INTS, J], {}, "i32", None, [7, 2, 8, -3]),
    ("minimum", [INTS, J], {}, "i32", None, [2, -7, -3, -8]),
    ("and", [B, C], {}, "bool", None, [True, False, False, False]),
    ("or", [INTS, J], {}, "i32", None, [7, -5, -3, -3]),
    ("xor", [INTS, J], {}, "i32", None, [5, -5, -11, 5]),
    ("shl", [INTS, ("i32", [1, 2, 3, 31])], {}, "i32", None, [14, -28, 64, 0]),
    ("shr", [INTS, ("i32", [1, 1, 3, 31])], {}, "i32", None, [3, -4, 1, -1]),
    ("lt", [INTS, J], {}, "bool", None, [False, True, False, True]),
    ("eq", [B, C], {}, "bool", None, [True, False, False, True]),
    ("ne", [INTS, INTS], {}, "bool", None, [False] * 4),
    ("where", [B, INTS, J], {}, "i32", None, [7, 2, 8, -3]),
    ("cast", [("f32", [1.9, -1.9, 0, 2])], {"to": "i32"}, "i32", None, [1, -1, 0, 2]),
    ("sum", [INTS], {"axes": [0], "keepdim": False}, "i32", [2], [15, -15]),
    ("prod", [INTS], {"axes": [0, 1], "keepdim": True}, "i32", [1, 1], [3136]),
    ("max", [F], {"axes": [1], "keepdim": False}, "f32", [2], [1, 4]),
    ("min", [INTS], {"axes": [1], "keepdim": True}, "i32", [2, 1], [-7, -8]),
    ("matmul", [INTS, J], {}, "i32", None, [35, 35, 40, 40]),
    ("mean", [F], {"axes": [0, 1], "keepdim": False}, "f32", [], [1.5]),
    ("softmax", [("f32", [3, 3, 1, 1])], {"axis": 1}, "f32", None, [0.5] * 4),
    ("cumsum", [INTS], {"axis": 1}, "i32", None, [7, 0, 8, 0]),
]


@pytest.mark.parametrize("op,operands,attrs,dtype,shape,expected", CASES, ids=[case[0] for case in CASES])
def test_operation(op, operands, attrs, dtype, shape, expected):
    assert one(op, dtype, operands, shape=shape, **attrs) == pytest.approx(expected, rel=1e-6)


def test_every_operation_is_tested():
    assert {case[0] for case in CASES} | {"full", "arange", "expand"} == set(operations.TABLE)


def test_sources_and_expand():
    nodes = [
        node("f", "full", "i32", [2, 1], value=7),
        node("a", "arange", "i32", [3], start=5, step=-2),
        node("e", "expand", "i32", [2, 3], ["f"]),
        node("n", "full", "f32", [1], value="-inf"),
    ]
    reply = ask(nodes, ["e", "a", "n"], {})
    assert reply["status"] == "ok", reply["message"]
    assert [unpack(o) for o in reply["outputs"]] == [[7] * 6, [5, 3, 1], [float("-inf")]]


def test_the_kernels_of_softmax():
    nodes = [
        node("a", "input", "f32", [3, 4], fill="iota", seed=0),
        node("b", "softmax", "f32", [3, 4], ["a"], axis=1),
    ]
    reply = ask(nodes, ["b"], {"a": pack("f32", list(range(12)))}, values=False)
    assert reply["status"] == "ok" and reply["step"] == "schedule" and reply["outputs"] == []
    kinds = [[(b["kind"], b.get("name", b.get("index"))) for b in k["buffers"]] for k in reply["kernels"]]
    assert kinds == [
        [("temp", 0), ("input", "a")],
        [("temp", 1), ("input", "a"), ("temp", 0)],
        [("output", 0), ("input", "a"), ("temp", 0), ("temp", 1)],
    ]
    graph = reply["kernels"][0]["graph"]
    assert graph[-1][0] == "SINK"
    assert ["REDUCE", "f32", "MAX"] in [n[:3] for n in graph]
    assert sorted(n[2][1] for n in graph if n[0] == "RANGE") == ["LOOP", "REDUCE"]
    assert all(s < k for k, n in enumerate(graph) for s in n[3])


def test_an_output_that_is_an_input_and_outputs_that_share():
    nodes = [
        node("a", "input", "f32", [2], fill="iota", seed=0),
        node("b", "neg", "f32", [2], ["a"]),
        node("c", "add", "f32", [2], ["a", "b"]),
    ]
    reply = ask(nodes, ["a", "b", "c", "b"], {"a": pack("f32", [1, 2])})
    assert reply["status"] == "ok", reply["message"]
    assert [unpack(o) for o in reply["outputs"]] == [[1, 2], [-1, -2], [0, 0], [-1, -2]]


def test_kernels_come_from_the_structure_and_values_from_the_program():
    source = node("a", "input", "f32", [2], fill="iota", seed=0)
    program = [source, node("b", "neg", "f32", [2], ["a"])]
    structure = {"nodes": [source, node("b", "exp2", "f32", [2], ["a"])], "outputs": ["b"]}
    reply = ask(program, ["b"], {"a": pack("f32", [1, 2])}, structure=structure)
    assert unpack(reply["outputs"][0]) == [-1, -2]
    assert "EXP2" in [n[0] for n in reply["kernels"][0]["graph"]]


def test_statuses():
    source = node("a", "input", "f32", [2], fill="iota", seed=0)
    inputs = {"a": pack("f32", [1, 2])}
    reply = ask([source, node("b", "fancy", "f32", [2], ["a"])], ["b"], inputs)
    assert (reply["status"], reply["step"], reply["message"]) == ("unsupported", "build", "operation fancy")
    reply = ask([source, node("b", "reshape", "f32", [3], ["a"])], ["b"], inputs)
    assert reply["status"] == "rejected" and reply["step"] == "build"
    assert reply["message"].startswith("ValueError: size mismatch")
    assert "(at tinygrad/" in reply["message"] and "/root" not in reply["message"]


@pytest.mark.parametrize(
    "line,message",
    [
        ("rubbish", "not a request"),
        ("[]", "not a request"),
        ("{}", "the request lacks program, inputs"),
        ('{"program":{},"inputs":{}}', "the request lacks nodes, outputs"),
    ],
)
def test_rubbish_is_answered(line, message):
    reply = worker.answer_line(line)
    assert reply["status"] == "protocol-error" and reply["message"].startswith(message)


def test_handshake():
    hello = worker.handshake()
    assert hello["protocol"] == 1 and hello["backend"] == "tinygrad"
    assert hello["clang"].startswith("19.")
