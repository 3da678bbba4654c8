"""The tinygrad worker of uopdiff: programs in, kernels and values out (harness/backends/PROTOCOL.md)."""

import base64
import gc
import json
import os
import socket
import subprocess
import sys
import time

# To be set before tinygrad is imported. No cache on disk: results must not depend on earlier runs.
os.environ.update({"CPU": "1", "CACHELEVEL": "0", "TRACEMETA": "0", "JIT": "0", "BEAM": "0", "DEBUG": "0"})
OPTIONS = [option for option in os.environ.get("UOPDIFF_OPTIONS", "").split(",") if option]
if "noopt" in OPTIONS:
    os.environ["NOOPT"] = "1"

import failure
import graph
import operations
import tinygrad.engine.schedule
from tinygrad import Device, Tensor
from tinygrad.engine.realize import get_program
from tinygrad.uop.ops import Ops

PROTOCOL, VERSION = 1, "0.12.0"


def clang_version() -> str:
    try:
        text = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    return text.split("version ")[1].split()[0].split("(")[0] if "version " in text else ""


def handshake() -> dict:
    return {
        "protocol": PROTOCOL,
        "backend": "tinygrad",
        "version": VERSION,
        "ops": ["input", *operations.TABLE],
        "dtypes": list(operations.DTYPES),
        "options": ["noopt"],
        "clang": clang_version(),
    }


def rss_mb() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 >> 20


class Run:
    """One request; keeps what was reached when a step fails."""

    def __init__(self, request: dict):
        self.request = request
        self.step, self.started, self.times = "", 0.0, {}
        self.kernels, self.outputs = [], []

    def enter(self, step: str):
        self.leave()
        self.step, self.started = step, time.perf_counter()

    def leave(self):
        if self.step:
            ms = (time.perf_counter() - self.started) * 1e3
            self.times[self.step] = round(self.times.get(self.step, 0.0) + ms, 3)

    def build(self, program: dict):
        self.enter("build")
        tensors, inputs = {}, {}
        for node in program["nodes"]:
            if node["op"] == "input":
                data = base64.b64decode(self.request["inputs"][node["name"]])
                tensors[node["name"]] = inputs[node["name"]] = operations.input_tensor(node, data)
            else:
                tensors[node["name"]] = operations.apply(node, [tensors[s] for s in node["src"]])
        return inputs, [tensors[name] for name in program["outputs"]]

    def schedule(self, inputs: dict, outputs: list):
        """Every output as a CONTIGUOUS of one SINK, as Morok schedules its outputs."""
        self.enter("schedule")
        outputs = [t.contiguous() for t in outputs]
        items = outputs[0].schedule(*outputs[1:])
        return outputs, items, graph.kernels(items, graph.Buffers(inputs, outputs))

    def compile(self, items: list, with_source: bool):
        self.enter("compile")
        sources = []
        for item in items:
            source = ""
            try:
                item.lower()
                if item.ast.op is Ops.SINK:
                    source = item.prg.p.src
            except subprocess.CalledProcessError as error:
                source = get_program(item.ast, Device["CPU"].renderer).src
                raise failure.CompileFailed(failure.compiler_output(error, source)) from error
            finally:
                sources.append(source)
                if with_source:
                    for kernel, text in zip(self.kernels, sources, strict=False):
                        kernel["source"] = text

    def execute(self, outputs: list, items: list):
        self.enter("execute")
        for item in items:
            item.run()
        for tensor in outputs:
            data = bytes(tensor.contiguous().realize().data())
            self.outputs.append(
                {
                    "dtype": graph.dtype_name(tensor.dtype),
                    "shape": list(tensor.shape),
                    "data": base64.b64encode(data).decode(),
                }
            )

    def everything(self):
        program, structure = self.request["program"], self.request.get("structure")
        inputs, outputs = self.build(structure or program)
        outputs, items, self.kernels = self.schedule(inputs, outputs)
        if not self.request.get("values"):
            return
        native = []
        if structure:
            inputs, outputs = self.build(program)
            outputs, items, native = self.schedule(inputs, outputs)
        # Generated code belongs to the kernels of the reply only when they are the same ones.
        self.compile(items, not native)
        self.execute(outputs, items)

    def reply(self) -> dict:
        status, message = "ok", ""
        try:
            self.everything()
        except (MemoryError, KeyboardInterrupt):
            raise
        except Exception as error:
            status, message = failure.status_of(error)
        self.leave()
        if status == "ok" and not self.request.get("source"):
            for kernel in self.kernels:
                kernel.pop("source", None)
        return {
            "id": self.request.get("id"),
            "status": status,
            "step": self.step,
            "message": message,
            "outputs": self.outputs,
            "kernels": self.kernels,
            "times": self.times,
            "rss_mb": rss_mb(),
        }


def answer_line(line: str) -> dict:
    try:
        request = json.loads(line)
        missing = [key for key in ("program", "inputs") if not isinstance(request.get(key), dict)]
        if not missing:
            missing = [key for key in ("nodes", "outputs") if not request["program"].get(key)]
    except (json.JSONDecodeError, AttributeError) as error:
        return {"id": None, "status": "protocol-error", "step": "", "message": f"not a request: {error}"}
    if missing:
        text = f"the request lacks {', '.join(missing)}"
        return {"id": request.get("id"), "status": "protocol-error", "step": "", "message": text}
    tinygrad.engine.schedule.schedule_cache.clear()  # a schedule must not depend on earlier programs
    try:
        return Run(request).reply()
    except KeyError as error:
        return {
            "id": request.get("id"),
            "status": "protocol-error",
            "step": "",
            "message": f"the request lacks {error}",
        }


def serve(path: str):
    sys.setrecursionlimit(20000)
    Tensor([1.0], device="CPU").realize()  # opens the device before the first request
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        stream = connection.makefile("rw", encoding="utf-8", newline="\n")
        stream.write(json.dumps(handshake()) + "\n")
        stream.flush()
        for count, line in enumerate(stream):
            stream.write(json.dumps(answer_line(line)) + "\n")
            stream.flush()
            if count % 64 == 63:
                gc.collect()


if __name__ == "__main__":
    if "UOPDIFF_SOCKET" not in os.environ:
        sys.exit("worker.py is started by uopdiff, which sets UOPDIFF_SOCKET")
    try:
        serve(os.environ["UOPDIFF_SOCKET"])
    except MemoryError:
        print("MemoryError", file=sys.stderr)
        sys.exit(137)
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        sys.exit(0)
