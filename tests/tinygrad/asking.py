"""Requests to the worker in this process, values of every dtype as bytes; imported before tinygrad."""

import atexit
import base64
import json
import math
import os
import shutil
import struct
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest

WORKER = Path(__file__).parents[2] / "harness" / "backends" / "tinygrad"
sys.path.insert(0, str(WORKER))


def _put_clang_on_path():
    """The compiler calls `clang`; here as in the harness that is clang-19."""
    directory = tempfile.mkdtemp(prefix="uopdiff-test-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    os.symlink(shutil.which("clang-19") or shutil.which("clang"), f"{directory}/clang")
    os.environ["PATH"] = f"{directory}:{os.environ['PATH']}"


_put_clang_on_path()
os.environ["CC"] = "/nowhere/cc"  # tinygrad would take it instead of clang: the worker has to drop it
import worker  # noqa: E402

FORMATS = {"bool": "?", "u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q"}
FORMATS |= {"i64": "q", "f16": "e", "bf16": "H", "f32": "f", "f64": "d"}
FLOATS = ["f16", "bf16", "f32", "f64"]
INTS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
NUMBERS = INTS + FLOATS
ALL = ["bool", *NUMBERS]
NEAR = {"f16": 4e-3, "bf16": 3e-2, "f32": 1e-5, "f64": 1e-6}  # whether it is the operation; not how good

# Of tinygrad 0.12.0: generated code is linked with nothing (runtime/support/elf.py), but clang calls these
# where the processor has no such instruction.
CALLED = {"f16": ("fmaxf", "avx512_fp16"), "bf16": ("__truncsfbf2", "avx512_bf16")}
FAULTS = {
    ("relu", "f16"),
    ("cumsum", "bf16"),
    ("cumprod", "bf16"),
    ("gather", "bf16"),
    ("index_select", "bf16"),
}
FAULTS |= {("max_pool plane", "bf16")}


def _fault(dtype):
    symbol, feature = CALLED[dtype]
    strict = feature not in Path("/proc/cpuinfo").read_text()
    return pytest.mark.xfail(strict=strict, reason=f"undefined symbol {symbol}")


def by_dtypes(name, dtypes, *more):
    """Parameters of a test: all dtypes that work at once, and each other one by itself."""
    good = [dtype for dtype in dtypes if (name, dtype) not in FAULTS]
    bad = [dtype for dtype in dtypes if dtype not in good]
    faults = [pytest.param(name, [d], *more, id=f"{name} {d}", marks=_fault(d)) for d in bad]
    return [pytest.param(name, good, *more, id=name), *faults]


def node(name, op, dtype, shape, src=(), /, **attrs):
    return {"name": name, "op": op, "dtype": dtype, "shape": shape, "src": list(src), "attrs": attrs}


def _to_bf16(value):
    """The upper half of an f32; values here are short enough to need no rounding."""
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def pack(dtype, values):
    if dtype == "bf16":
        values = map(_to_bf16, values)
    return base64.b64encode(b"".join(struct.pack("<" + FORMATS[dtype], v) for v in values)).decode()


def unpack(output):
    values = [
        v for (v,) in struct.iter_unpack("<" + FORMATS[output["dtype"]], base64.b64decode(output["data"]))
    ]
    if output["dtype"] == "bf16":
        return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    return values


def ask(nodes, outputs, inputs, values=True, **more):
    request = {"id": 1, "program": {"nodes": nodes, "outputs": outputs}, "inputs": inputs, "values": values}
    return worker.answer_line(json.dumps(request | more).encode())


def bounds(dtype):
    """Lowest and highest value of integers."""
    bits = int(dtype[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype[0] == "i" else (0, (1 << bits) - 1)


def wrap(value, dtype):
    if dtype in FLOATS or dtype == "bool":
        return value
    low, high = bounds(dtype)
    return (value - low) % (high - low + 1) + low


def indices(shape):
    return product(*map(range, shape))


def flat(index, shape):
    return sum(i * math.prod(shape[axis + 1 :]) for axis, i in enumerate(index))


class Array:
    """Values in C order, by index."""

    def __init__(self, shape, values):
        self.shape, self.values = list(shape), list(values)
        assert len(self.values) == math.prod(shape)

    @staticmethod
    def of(shape, value):
        return Array(shape, [value(*index) for index in indices(shape)])

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        return self.values[flat(index, self.shape)]

    def lines(self, axis):
        """Index without that axis, and the values along it."""
        for rest in indices(self.shape[:axis] + self.shape[axis + 1 :]):
            yield rest, [self[(*rest[:axis], k, *rest[axis:])] for k in range(self.shape[axis])]

    def along(self, axis, function):
        """Each line replaced by function(line)."""
        lines = {rest: function(line) for rest, line in self.lines(axis)}
        length = len(next(iter(lines.values())))
        shape = [*self.shape[:axis], length, *self.shape[axis + 1 :]]
        return Array.of(shape, lambda *index: lines[index[:axis] + index[axis + 1 :]][index[axis]])


def agree(got, wanted, dtype):
    if len(got) != len(wanted) or dtype not in FLOATS:
        return got == [wrap(v, dtype) for v in wanted]
    near = NEAR[dtype]
    return all(
        g == w or (math.isnan(g) and math.isnan(w)) or abs(g - w) <= near * max(1, abs(w))
        for g, w in zip(got, wanted, strict=True)
    )


def check(op, operands, expected, result, attrs=None, values=True):
    """One operation, for several dtypes in one program: `operands` [(dtype, Array)], `expected` an Array,
    `result` a dtype, each of them a list over the cases."""
    nodes, inputs, outputs = [], {}, []
    for k, given in enumerate(operands):
        for j, (dtype, array) in enumerate(given):
            nodes.append(node(f"x{k}_{j}", "input", dtype, array.shape, fill="small", seed=0))
            inputs[f"x{k}_{j}"] = pack(dtype, array.values)
        source = [f"x{k}_{j}" for j in range(len(given))]
        nodes.append(node(f"r{k}", op, result[k], expected[k].shape, source, **(attrs or {})))
        outputs.append(f"r{k}")
    reply = ask(nodes, outputs, inputs, values)
    assert reply["status"] == "ok", f"{reply['status']} {reply['message']}"
    for output, array, dtype in zip(reply["outputs"], expected, result, strict=True):
        assert (output["dtype"], output["shape"]) == (dtype, array.shape)
        got = unpack(output)
        assert agree(got, array.values, dtype), f"{op} {dtype}: {got} instead of {array.values}"
