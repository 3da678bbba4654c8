"""One program through tinygrad: build, schedule, compile, execute."""

import base64
import gc
import subprocess
import time

import failure
import graph
import operations
import symbolic
from request import Request
from tinygrad import Device, Tensor
from tinygrad.codegen import get_program
from tinygrad.codegen.opt.postrange import Scheduler
from tinygrad.device import Buffer
from tinygrad.engine import realize as engine_realize
from tinygrad.engine import schedule as engine_schedule
from tinygrad.engine.realize import CompiledRunner
from tinygrad.renderer import ProgramSpec, Renderer
from tinygrad.schedule import indexing
from tinygrad.uop import divandmod
from tinygrad.uop.ops import Ops, UOp

# The functools caches of 0.12.0 with UOps in their keys or values.
UOP_CACHES = (
    UOp.const,
    indexing.apply_movement_op,
    indexing._apply_reshape,
    divandmod.fold_divmod_general,
)


def forget_earlier_programs() -> None:
    """Empties whatever in tinygrad 0.12.0 outlives a program and could show in the reply to a later one.

    `method_cache` of engine/realize.py is used by `realize` only, see `Run.compile`. UOps are interned: a new
    one is the old one while that lives, and -0.0 counts as 0.0 (`full(-0.0)` after any 0.0 is 0.0). So the
    caches that hold UOps go, and garbage in cycles.
    """
    engine_schedule.schedule_cache.clear()
    engine_realize.method_cache.clear()
    for cache in UOP_CACHES:
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
        self.step, self.started, self.times = "", None, {}
        self.kernels, self.outputs = [], []
        self.variables = {}

    def enter(self, step: str) -> None:
        self.leave()
        self.step, self.started = step, time.perf_counter()

    def leave(self) -> None:
        if self.started is not None:
            ms = (time.perf_counter() - self.started) * 1e3
            self.times[self.step] = round(self.times.get(self.step, 0.0) + ms, 3)
            self.started = None

    def build(self, program: dict) -> tuple[dict[str, Buffer], list[Tensor]]:
        """Buffers of the inputs (an assign takes them from their tensors), and outputs."""
        self.enter("build")
        symbolic.check(program["nodes"])
        runs = self.request.values and program is self.request.program
        tensors, inputs = {}, {}
        for node in program["nodes"]:
            name = node["name"]
            if node["op"] == "input":
                tensors[name] = operations.input_tensor(node, self.request.inputs[name])
                inputs[name] = tensors[name].uop.base.buffer
            else:
                tensors[name] = operations.apply(node, [tensors[s] for s in node["src"]], runs)
        return inputs, [tensors[name] for name in program["outputs"]]

    def schedule(self, program: dict):
        """Every output as a CONTIGUOUS of one SINK, as Morok schedules its outputs."""
        inputs, outputs = self.build(program)
        self.enter("schedule")
        outputs = [t.contiguous() for t in outputs]
        pending = [t for t in outputs if 0 not in t.shape]
        items, self.variables = pending[0].schedule_with_vars(*pending[1:]) if pending else ([], {})
        for tensor in pending:  # only so is base's buffer, from its first byte on, what the output is
            if not symbolic.is_whole_buffer(tensor.uop):
                raise failure.AdapterFault(f"an output is scheduled as {tensor.uop.op.name}, not as a buffer")
        return outputs, items, graph.kernels(items, graph.Buffers(inputs, outputs))

    def render(self, items: list, kernels: list[dict]) -> dict[bytes, ProgramSpec]:
        """Generated code by the key of its kernel's graph."""
        self.enter("compile")
        programs: dict[bytes, ProgramSpec] = {}
        for item, kernel in zip(items, kernels, strict=True):
            if item.ast.op is not Ops.SINK:
                continue
            if item.ast.key not in programs:
                programs[item.ast.key] = get_program(item.ast, RENDERER)
            kernel["source"] = programs[item.ast.key].src
        return programs

    def compile(self, items: list, programs: dict[bytes, ProgramSpec]) -> None:
        """As `get_runner` of engine/realize.py, but without its cache, which would outlive the program."""
        runners: dict[bytes, CompiledRunner] = {}
        for key, program in programs.items():
            try:
                runners[key] = CompiledRunner(program)
            except subprocess.CalledProcessError as error:
                self.show_refused(program.src, [item.ast.key for item in items].index(key))
                raise failure.CompileFailed(_compiler_output(error, program.src)) from error
        for item in items:
            item.prg = runners.get(item.ast.key)  # what is no kernel lowers itself

    def show_refused(self, source: str, position: int) -> None:
        """Code of a composite's own kernel goes to the structure's kernel at its place: there is no other."""
        if self.kernels:
            self.kernels[min(position, len(self.kernels) - 1)]["source"] = source

    def execute(self, outputs: list[Tensor], items: list) -> None:
        self.enter("execute")
        for item in items:
            item.run(self.variables)
        for tensor in outputs:
            data = bytes(tensor.uop.base.buffer.as_buffer()) if 0 not in tensor.shape else b""
            self.outputs.append(
                {
                    "dtype": graph.dtype_name(tensor.dtype),
                    "shape": list(symbolic.sizes(tensor.shape)),
                    "data": base64.b64encode(symbolic.window(data, tensor.shape)).decode(),
                }
            )

    def schedule_structure(self) -> None:
        _, items, self.kernels = self.schedule(self.request.structure)
        if self.request.source:
            self.render(items, self.kernels)

    def run_program(self) -> None:
        outputs, items, kernels = self.schedule(self.request.program)
        if self.request.structure is None:
            self.kernels = kernels
        if self.request.values:
            programs = self.render(items, kernels)
            self.compile(items, programs)
            self.execute(outputs, items)
        elif self.request.source:
            self.render(items, kernels)

    def everything(self) -> None:
        if self.request.structure is not None:
            self.schedule_structure()
            if not self.request.values:
                return
            self.leave()
            forget_earlier_programs()  # the program's values must not depend on whether there is a structure
        self.run_program()

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
