"""One program through tinygrad: build, schedule, compile, execute."""

import base64
import gc
import subprocess
import time

import failure
import graph
import operations
from request import Request
from tinygrad import Device, Tensor
from tinygrad.codegen import get_program
from tinygrad.codegen.opt.postrange import Scheduler
from tinygrad.engine import schedule as engine_schedule
from tinygrad.engine.realize import CompiledRunner
from tinygrad.renderer import Renderer
from tinygrad.schedule import indexing
from tinygrad.uop import divandmod
from tinygrad.uop.ops import Ops, UOp


def forget_earlier_programs() -> None:
    """Empties whatever in tinygrad 0.12.0 outlives a program and could show in the reply to a later one.

    `method_cache` of engine/realize.py is not used at all, see `Run.compile`. UOps are interned: a new one is
    the old one while that lives, and -0.0 counts as 0.0. So caches that hold UOps go, and garbage in cycles.
    """
    engine_schedule.schedule_cache.clear()
    for cache in (indexing.apply_movement_op, indexing._apply_reshape, divandmod.fold_divmod_general):
        cache.cache_clear()
    Scheduler.kernel_cnt.clear()  # a counter in the names of kernels
    gc.collect()


def without_compiler(renderer: Renderer) -> Renderer:
    """get_program of codegen/__init__.py compiles as well unless its renderer has no compiler."""
    result = type(renderer)()
    result.compiler = None
    return result


RENDERER = without_compiler(Device["CPU"].renderer)


def rss_mb() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 >> 20


def _compiler_output(error: subprocess.CalledProcessError, source: str) -> str:
    """Runs the failed compiler again for its text: tinygrad lets it go to stderr."""
    if error.returncode < 0:
        return f"clang was ended by signal {-error.returncode}"
    again = subprocess.run(error.cmd, input=source.encode(), capture_output=True, check=False)
    return again.stderr.decode(errors="replace")


class Run:
    """One request; keeps what was reached when a step fails."""

    def __init__(self, request: Request):
        self.request = request
        self.step, self.started, self.times = "", 0.0, {}
        self.kernels, self.outputs = [], []

    def enter(self, step: str) -> None:
        self.leave()
        self.step, self.started = step, time.perf_counter()

    def leave(self) -> None:
        if self.step:
            ms = (time.perf_counter() - self.started) * 1e3
            self.times[self.step] = round(self.times.get(self.step, 0.0) + ms, 3)

    def build(self, program: dict) -> tuple[dict[str, Tensor], list[Tensor]]:
        self.enter("build")
        tensors, inputs = {}, {}
        for node in program["nodes"]:
            name = node["name"]
            if node["op"] == "input":
                tensors[name] = inputs[name] = operations.input_tensor(node, self.request.inputs[name])
            else:
                tensors[name] = operations.apply(node, [tensors[s] for s in node["src"]])
        return inputs, [tensors[name] for name in program["outputs"]]

    def schedule(self, inputs: dict[str, Tensor], outputs: list[Tensor]):
        """Every output as a CONTIGUOUS of one SINK, as Morok schedules its outputs."""
        self.enter("schedule")
        outputs = [t.contiguous() for t in outputs]
        items = outputs[0].schedule(*outputs[1:])
        for tensor in outputs:  # only so is base's buffer, from its first byte on, what the output is
            if not tensor.uop.is_contiguous():
                raise failure.AdapterFault(f"an output is scheduled as {tensor.uop.op.name}, not as a buffer")
        return outputs, items, graph.kernels(items, graph.Buffers(inputs, outputs))

    def compile(self, items: list, kernels: list[dict]) -> None:
        """As `get_runner` of engine/realize.py, but without its cache, which would outlive the program."""
        self.enter("compile")
        runners: dict[bytes, CompiledRunner] = {}
        for item, kernel in zip(items, kernels, strict=True):
            if item.ast.op is not Ops.SINK:
                item.lower()
                continue
            if item.ast.key not in runners:
                program = get_program(item.ast, RENDERER)
                kernel["source"] = program.src
                try:
                    runners[item.ast.key] = CompiledRunner(program)
                except subprocess.CalledProcessError as error:
                    raise failure.CompileFailed(_compiler_output(error, program.src)) from error
            item.prg = runners[item.ast.key]
            kernel["source"] = item.prg.p.src

    def render(self, asts: list[UOp]) -> None:
        self.enter("compile")
        for ast, kernel in zip(asts, self.kernels, strict=True):
            if ast.op is Ops.SINK:
                kernel["source"] = get_program(ast, RENDERER).src

    def execute(self, outputs: list[Tensor], items: list) -> None:
        self.enter("execute")
        for item in items:
            item.run()
        for tensor in outputs:
            data = bytes(tensor.uop.base.buffer.as_buffer())
            self.outputs.append(
                {
                    "dtype": graph.dtype_name(tensor.dtype),
                    "shape": list(tensor.shape),
                    "data": base64.b64encode(data).decode(),
                }
            )

    def everything(self) -> None:
        program, structure = self.request.program, self.request.structure
        inputs, outputs = self.build(structure or program)
        outputs, items, self.kernels = self.schedule(inputs, outputs)
        kernels = self.kernels
        if structure and self.request.source:
            self.render([item.ast for item in items])
        if self.request.values:
            if structure:
                inputs, outputs = self.build(program)
                outputs, items, kernels = self.schedule(inputs, outputs)
            self.compile(items, kernels)
            self.execute(outputs, items)

    def reply(self) -> dict:
        status, message = "ok", ""
        try:
            self.everything()
        except Exception as error:
            if failure.is_out_of_memory(error):
                raise MemoryError(str(error)) from error
            status, message = failure.status_of(error)
        self.leave()
        if status == "ok" and not self.request.source:
            for kernel in self.kernels:
                kernel.pop("source", None)
        return {
            "id": self.request.id,
            "status": status,
            "step": self.step,
            "message": message,
            "outputs": self.outputs,
            "kernels": self.kernels,
            "times": self.times,
            "rss_mb": rss_mb(),
        }
