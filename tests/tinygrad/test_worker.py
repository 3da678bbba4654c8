"""The tinygrad worker on the real compiler: kernels, statuses, sessions. Operations have their own files.

uv run --no-project --with tinygrad==0.12.0 --with pytest==9.2.0 python -m pytest -q tests/tinygrad
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from asking import WORKER, ask, node, pack, unpack, worker

failure, operations = worker.run.failure, worker.operations  # the worker has to be first
from tinygrad.uop.ops import UOpMetaClass  # noqa: E402


def test_what_has_no_elements():
    nodes = [
        node("x", "input", "f32", [0, 3], fill="small", seed=0),
        node("y", "neg", "f32", [0, 3], ["x"]),
        node("z", "sum", "f32", [3], ["y"], axes=[0], keepdim=False),
    ]
    reply = ask(nodes, ["y", "z"], {"x": ""})
    assert reply["status"] == "ok", reply["message"]
    assert [unpack(output) for output in reply["outputs"]] == [[], [0.0, 0.0, 0.0]]
    assert [output["shape"] for output in reply["outputs"]] == [[0, 3], [3]]


def a_vector(values=(1, 2)):
    """An input node `a` and its data."""
    return node("a", "input", "f32", [len(values)], fill="iota", seed=0), {"a": pack("f32", list(values))}


def buffers_of(reply):
    return [[(b["kind"], b.get("name", b.get("index"))) for b in k["buffers"]] for k in reply["kernels"]]


def check_graph(graph, buffers):
    assert graph[-1][0] == "SINK"
    assert all(0 <= s < k for k, n in enumerate(graph) for s in n[3])
    slots = {n[2]["slot"]: (n[1], n[2]["size"]) for n in graph if n[0] == "DEFINE_GLOBAL"}
    assert slots == {slot: (b["dtype"], b["size"]) for slot, b in enumerate(buffers)}


def test_the_kernels_of_softmax():
    nodes = [
        node("a", "input", "f32", [3, 4], fill="iota", seed=0),
        node("b", "softmax", "f32", [3, 4], ["a"], axis=1),
    ]
    reply = ask(nodes, ["b"], {"a": pack("f32", list(range(12)))}, values=False)
    assert reply["status"] == "ok" and reply["step"] == "schedule" and reply["outputs"] == []
    assert set(reply["times"]) == {"build", "schedule"}
    assert buffers_of(reply) == [
        [("temp", 0), ("input", "a")],
        [("temp", 1), ("input", "a"), ("temp", 0)],
        [("output", 0), ("input", "a"), ("temp", 0), ("temp", 1)],
    ]
    assert [k["name"] for k in reply["kernels"]] == ["r_3_4", "r_3_4", "E_3_4"]
    for kernel in reply["kernels"]:
        check_graph(kernel["graph"], kernel["buffers"])
    graph = reply["kernels"][0]["graph"]
    assert ["REDUCE", "f32", "MAX"] in [n[:3] for n in graph]
    assert sorted(n[2][1] for n in graph if n[0] == "RANGE") == ["LOOP", "REDUCE"]


def test_the_kernel_of_matmul():
    nodes = [
        node("a", "input", "f32", [3, 4], fill="iota", seed=0),
        node("b", "input", "f32", [4, 2], fill="iota", seed=0),
        node("c", "matmul", "f32", [3, 2], ["a", "b"]),
    ]
    inputs = {"a": pack("f32", list(range(12))), "b": pack("f32", list(range(8)))}
    reply = ask(nodes, ["c"], inputs, source=True)
    assert unpack(reply["outputs"][0]) == [28, 34, 76, 98, 124, 162]
    (kernel,) = reply["kernels"]
    assert kernel["name"] == "r_3_2_4" and "void r_3_2" in kernel["source"]
    assert buffers_of(reply) == [[("output", 0), ("input", "a"), ("input", "b")]]
    check_graph(kernel["graph"], kernel["buffers"])
    extents = {}
    for op, dtype, arg, src in kernel["graph"]:
        if op == "RANGE":
            assert dtype == "index"
            extents.setdefault(arg[1], []).append(kernel["graph"][src[0]][2])
    assert extents == {"LOOP": [3, 2], "REDUCE": [4]}
    (reduce,) = (n for n in kernel["graph"] if n[0] == "REDUCE")
    assert reduce[1:3] == ["f32", "ADD"] and kernel["graph"][reduce[3][0]][0] == "MUL"


def test_invalid_and_infinite_constants_are_words():
    a, inputs = a_vector()
    nodes = [
        a,
        node("b", "pad", "f32", [4], ["a"], padding=[[1, 1]]),
        node("f", "full", "f32", [4], value="-inf"),
        node("c", "lt", "bool", [4], ["f", "b"]),
    ]
    reply = ask(nodes, ["c"], inputs)
    assert unpack(reply["outputs"][0]) == [True] * 4
    constants = [n[2] for k in reply["kernels"] for n in k["graph"] if n[0] == "CONST"]
    assert "Invalid" in constants and "-inf" in constants


def test_code_comes_when_wanted():
    a, inputs = a_vector()
    nodes = [a, node("b", "neg", "f32", [2], ["a"])]
    assert "source" not in ask(nodes, ["b"], inputs)["kernels"][0]
    reply = ask(nodes, ["b"], inputs, values=False, source=True)
    assert "restrict data0_2" in reply["kernels"][0]["source"] and reply["outputs"] == []


@pytest.mark.parametrize(
    "op,shape,attrs,expected",
    [
        ("reshape", [2, 1], {"shape": [2, 1]}, [1, 2]),
        ("flip", [2], {"axes": [0]}, [2, 1]),
        ("shrink", [1], {"bounds": [[1, 2]]}, [2]),
        ("contiguous", [2], {}, [1, 2]),
    ],
)
def test_an_output_that_is_a_view_of_an_input(op, shape, attrs, expected):
    a, inputs = a_vector()
    view = node("b", op, "f32", shape, ["a"]) | {"attrs": attrs}
    reply = ask([a, view], ["b"], inputs)
    assert reply["status"] == "ok", reply["message"]
    assert unpack(reply["outputs"][0]) == expected and reply["outputs"][0]["shape"] == shape


def test_an_output_that_is_an_input_and_outputs_that_share():
    nodes = [
        node("a", "input", "f32", [2], fill="iota", seed=0),
        node("b", "neg", "f32", [2], ["a"]),
        node("c", "add", "f32", [2], ["a", "b"]),
    ]
    reply = ask(nodes, ["a", "b", "c", "b"], {"a": pack("f32", [1, 2])})
    assert reply["status"] == "ok", reply["message"]
    assert [unpack(o) for o in reply["outputs"]] == [[1, 2], [-1, -2], [0, 0], [-1, -2]]
    first = [kernel[0] for kernel in buffers_of(reply)]
    assert sorted(first) == [("output", 1), ("output", 2)]


def test_kernels_come_from_the_structure_and_values_from_the_program():
    a, inputs = a_vector()
    program = [a, node("b", "neg", "f32", [2], ["a"])]
    structure = {"nodes": [a, node("b", "exp2", "f32", [2], ["a"])], "outputs": ["b"]}
    reply = ask(program, ["b"], inputs, structure=structure, source=True)
    assert unpack(reply["outputs"][0]) == [-1, -2]
    assert "EXP2" in [n[0] for n in reply["kernels"][0]["graph"]]
    assert ask(structure["nodes"], ["b"], inputs, source=True)["kernels"] == reply["kernels"]


def test_statuses():
    a, inputs = a_vector()
    reply = ask([a, node("b", "fancy", "f32", [2], ["a"])], ["b"], inputs)
    assert (reply["status"], reply["step"], reply["message"]) == ("unsupported", "build", "operation fancy")
    reply = ask([a, node("b", "reshape", "f32", [3], ["a"])], ["b"], inputs)
    assert reply["status"] == "rejected" and reply["step"] == "build"
    assert reply["message"].startswith("ValueError: size mismatch")
    assert "(at tinygrad/" in reply["message"] and "/root" not in reply["message"]


def test_an_assertion_is_a_panic_that_keeps_the_kernels():
    """0.12.0 asserts that a constant divisor is positive, but does not fold the sign out of it."""
    nodes = [
        node("x", "input", "i32", [2], fill="iota", seed=0),
        node("y", "full", "i32", [2], value=-3),
        node("r", "truncdiv", "i32", [2], ["x", "y"]),
    ]
    reply = ask(nodes, ["r"], {"x": pack("i32", [7, -7])})
    assert (reply["status"], reply["step"]) == ("panicked", "compile")
    assert reply["message"].startswith(
        "AssertionError: Sign should have been taken out of divisor (at tinygrad/"
    )
    assert len(reply["kernels"]) == 1 and reply["outputs"] == []


def test_a_recursion_limit_is_a_panic():
    try:
        sys.setrecursionlimit(300)
        a, inputs = a_vector()
        nodes = [a] + [node(f"n{k}", "sin", "f32", [2], [f"n{k - 1}" if k else "a"]) for k in range(400)]
        reply = ask(nodes, ["n399"], inputs, values=False)
    finally:
        sys.setrecursionlimit(10000)
    assert reply["status"] == "panicked" and reply["message"].startswith("RecursionError: maximum recursion")


def test_a_wrong_result_type_is_no_finding():
    a, inputs = a_vector()
    reply = ask([a, node("b", "cast", "i32", [2, 1], ["a"], to="i32")], ["b"], inputs)
    assert reply["status"] == "protocol-error" and reply["id"] == 1 and "AdapterFault" in reply["message"]
    reply = ask([a, node("b", "sum", "f32", [], ["a"])], ["b"], inputs)
    assert reply["status"] == "protocol-error" and "KeyError: 'axes'" in reply["message"]


def test_the_text_of_a_failed_compiler(tmp_path, monkeypatch):
    a, inputs = a_vector()
    fake = tmp_path / "clang"
    fake.write_text("#!/bin/sh\ncat > /dev/null\necho '<stdin>:2:3: error: no such type' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    program = [a, node("b", "neg", "f32", [2], ["a"])]
    reply = ask(program, ["b"], inputs)
    assert (reply["status"], reply["step"]) == ("compile-failed", "compile")
    assert reply["message"] == "<stdin>:2:3: error: no such type\n"
    assert "restrict data0_2" in reply["kernels"][0]["source"] and reply["outputs"] == []
    reply = ask(program, ["b"], inputs, structure={"nodes": program, "outputs": ["b"]})
    assert reply["status"] == "compile-failed" and "restrict data0_2" in reply["kernels"][0]["source"]


def test_texts_do_not_change_between_runs():
    assert (
        failure.clean("at 0x7f12a4b5c6d7 in /home/me/x/lib/tinygrad/uop/ops.py:3")
        == "at 0x_ in tinygrad/uop/ops.py:3"
    )
    assert failure.clean("/usr/lib/python3/ast.py, /tmp/a/b.c and 3/4") == "ast.py, TEMP and 3/4"
    assert (
        failure.clean("UOp(Ops.UNIQUE, dtypes.void, arg=77, src=())")
        == "UOp(Ops.UNIQUE, dtypes.void, arg=_, src=())"
    )
    assert failure.is_out_of_memory(OSError(12, "no memory")) and failure.is_out_of_memory(MemoryError())
    assert not failure.is_out_of_memory(OSError(2, "no file"))


def test_a_reply_does_not_depend_on_earlier_programs():
    """-0.0 is the hardest: tinygrad interns constants, and an older 0.0 is taken in its place."""
    negative = [node("z", "full", "f32", [2], value=-0.0)]
    first = ask(negative, ["z"], {}, source=True)
    assert first["outputs"][0]["data"] == pack("f32", [-0.0, -0.0])
    a, inputs = a_vector()
    nodes = [
        a,
        node("p", "pad", "f32", [4], ["a"], padding=[[1, 1]]),
        node("f", "full", "f32", [4], value=0.0),
        node("c", "maximum", "f32", [4], ["p", "f"]),
        node("d", "cumsum", "f32", [4], ["c"], axis=0),
    ]
    assert ask(nodes, ["d", "f"], inputs)["status"] == "ok"
    assert ask([*nodes, node("b", "reshape", "f32", [9], ["d"])], ["b"], inputs)["status"] == "rejected"
    assert [u() for u in UOpMetaClass.ucache.values() if u() is not None] == []
    for structure in (None, {"nodes": nodes, "outputs": ["d"]}):
        again = ask(negative, ["z"], inputs, source=True, structure=structure)
        assert again["outputs"] == first["outputs"]
        assert structure or again["kernels"] == first["kernels"]


GOOD = {"id": 1, "program": {"nodes": [node("f", "full", "i32", [1], value=1)], "outputs": ["f"]}}
GOOD |= {"inputs": {}, "values": True}
INPUT = {"nodes": [node("a", "input", "i32", [1])], "outputs": ["a"]}


@pytest.mark.parametrize(
    "line,message",
    [
        (b"rubbish", "not a request"),
        (b"\xff\xfe\x00", "not a request"),
        (b"[" * 100000, "not a request"),
        (b"[]", "not a request"),
        (b"{}", "the request lacks id"),
        (GOOD | {"id": True}, "id of the request is not of type int"),
        (GOOD | {"program": {}}, "the program lacks nodes"),
        (GOOD | {"program": {"nodes": [], "outputs": []}}, "the program has no outputs"),
        (GOOD | {"program": {"nodes": [{}], "outputs": ["f"]}}, "a node lacks name"),
        (
            GOOD | {"program": {"nodes": [node("f", "neg", "i32", [1], ["g"])], "outputs": ["f"]}},
            "node f uses g",
        ),
        (GOOD | {"program": {"nodes": [node("f", "neg", "i9", [1])], "outputs": ["f"]}}, "unknown dtype i9"),
        (GOOD | {"program": GOOD["program"] | {"outputs": ["x"]}}, "output x of the program is not a node"),
        (GOOD | {"structure": {"nodes": 3}}, "nodes of the structure is not of type list"),
        (GOOD | {"program": INPUT}, "inputs lacks a"),
        (GOOD | {"program": INPUT, "inputs": {"a": "?"}}, "input a is not base64"),
        (GOOD | {"program": INPUT, "inputs": {"a": "AAA="}}, "input a has 2 bytes of data, not 4"),
    ],
)
def test_rubbish_is_answered(line, message):
    reply = worker.answer_line(line if isinstance(line, bytes) else json.dumps(line).encode())
    assert reply["id"] is None and reply["status"] == "protocol-error"
    assert reply["message"].startswith(message)


def test_handshake():
    hello = worker.handshake()
    assert (hello["protocol"], hello["backend"], hello["version"]) == (1, "tinygrad", "0.12.0")
    assert hello["clang"].startswith("19.") and hello["options"] == ["noopt"]
    assert set(hello["ops"]) == {"input", *operations.TABLE} and len(hello["dtypes"]) == 13


class Session:
    """A worker process of its own, spoken to over its socket."""

    def __init__(self, directory, options="", script=WORKER / "worker.py"):
        path = f"{directory}/socket"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            listener.settimeout(60)
            environment = os.environ | {"UOPDIFF_SOCKET": path, "UOPDIFF_OPTIONS": options}
            command = [sys.executable, str(script)]
            self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
            self.connection, _ = listener.accept()
        self.connection.settimeout(60)
        self.stream = self.connection.makefile("rwb")

    def read(self):
        return json.loads(self.stream.readline())

    def send(self, request):
        self.stream.write(json.dumps(request).encode() + b"\n")
        self.stream.flush()

    def ask(self, request):
        self.send(request)
        return self.read()

    def end(self):
        self.stream.close()
        self.connection.close()
        return self.process.wait(20)


def test_a_session_over_the_socket():
    # The path of a socket is at most 107 bytes long, which pytest's own directories may exceed.
    with tempfile.TemporaryDirectory(prefix="uopdiff-test-") as directory:
        session = Session(directory, "noopt")
        assert session.read()["protocol"] == 1
        assert session.ask(17)["status"] == "protocol-error"
        a = node("a", "input", "f32", [1024], fill="iota", seed=0)
        program = {"nodes": [a, node("b", "neg", "f32", [1024], ["a"])], "outputs": ["b"]}
        inputs = {"a": pack("f32", list(range(1024)))}
        request = {"id": 5, "program": program, "inputs": inputs, "values": True, "source": True}
        reply = session.ask(request)
        assert (reply["id"], reply["status"], reply["step"]) == (5, "ok", "execute")
        assert unpack(reply["outputs"][0]) == [-k for k in range(1024)]
        assert set(reply["times"]) == {"build", "schedule", "compile", "execute"} and reply["rss_mb"] > 20
        # The optimiser would have split the loop for vectors of four.
        assert "< 1024" in reply["kernels"][0]["source"] and "float4" not in reply["kernels"][0]["source"]
        assert session.end() == 0


@pytest.mark.parametrize("error,code", [("MemoryError", 137), ("KeyboardInterrupt", 0)])
def test_exit_codes(error, code):
    """Raised inside a request, as by an allocation or by Ctrl-C."""
    script = f"""
import sys
sys.path.insert(0, {str(WORKER)!r})
import worker, operations
def fails(node, *operands): raise {error}("for the test")
operations.TABLE["neg"] = fails
worker.main()
"""
    with tempfile.TemporaryDirectory(prefix="uopdiff-test-") as directory:
        (Path(directory) / "script.py").write_text(script)
        session = Session(directory, script=f"{directory}/script.py")
        assert session.read()["protocol"] == 1
        a, inputs = a_vector()
        program = {"nodes": [a, node("b", "neg", "f32", [2], ["a"])], "outputs": ["b"]}
        session.send({"id": 1, "program": program, "inputs": inputs, "values": True})
        printed = session.process.communicate(timeout=20)[1]
        assert session.end() == code
        assert ("MemoryError: for the test" in printed) == (error == "MemoryError")
