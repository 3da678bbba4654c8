"""The tinygrad worker of uopdiff: programs in, kernels and values out (harness/backends/PROTOCOL.md)."""

import gc
import importlib.metadata
import json
import os
import re
import socket
import subprocess
import sys

OPTIONS = {"noopt": {"NOOPT": "1"}}
# tinygrad reads some hundred variables of any name (CC, SPLIT_REDUCEOP, ...): all but these are dropped.
KEPT = re.compile(r"PATH|HOME|TMPDIR|LANG|LC_.*|LD_.*|PYTHON.*|UV_.*|VIRTUAL_ENV|UOPDIFF_.*")


def set_environment() -> None:
    """Only what is set before tinygrad is imported has an effect."""
    assert "tinygrad" not in sys.modules
    for name in [name for name in os.environ if not KEPT.fullmatch(name)]:
        del os.environ[name]
    # No caches on disk and no search: results must not depend on earlier runs, or on timing.
    os.environ |= {"CPU": "1", "CACHELEVEL": "0", "CCACHE": "0", "TRACEMETA": "0", "JIT": "0", "BEAM": "0"}
    for option in filter(None, os.environ.get("UOPDIFF_OPTIONS", "").split(",")):
        if option not in OPTIONS:
            sys.exit(f"unknown option {option}; known are {', '.join(OPTIONS)}")
        os.environ |= OPTIONS[option]


set_environment()

import operations
import request
import run
from dtypes import DTYPES

PROTOCOL = 1


def clang_version() -> str:
    try:
        text = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        sys.exit(f"no usable clang on PATH: {error}")
    version = re.search(r"version (\d[\d.]*)", text)
    return version[1] if version else sys.exit("`clang --version` names no version")


def handshake() -> dict:
    return {
        "protocol": PROTOCOL,
        "backend": "tinygrad",
        "version": importlib.metadata.version("tinygrad"),
        "ops": ["input", *operations.TABLE],
        "dtypes": list(DTYPES),
        "clang": clang_version(),
        "options": list(OPTIONS),
    }


def answer_line(line: bytes) -> dict:
    try:
        wanted = request.parse(line)
    except request.BadRequest as error:
        return {"id": None, "status": "protocol-error", "message": str(error)}
    reply = run.Run(wanted).reply()
    run.forget_earlier_programs()
    return reply


def warm_up() -> None:
    """Compiles patterns and opens the device, so that the first program is like all others."""
    source = {"name": "a", "op": "full", "dtype": "f32", "shape": [2], "src": [], "attrs": {"value": 1}}
    program = {"nodes": [source], "outputs": ["a"]}
    line = json.dumps({"id": 0, "program": program, "inputs": {}, "values": True})
    reply = answer_line(line.encode())
    if reply["status"] != "ok":
        sys.exit(f"tinygrad cannot run the simplest program: {reply['message']}")


def serve(path: str) -> None:
    warm_up()
    gc.collect()
    gc.freeze()  # collecting after each program is cheap only without all that the imports made
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rwb") as stream:
            stream.write(json.dumps(handshake()).encode() + b"\n")
            stream.flush()
            for line in stream:
                stream.write(json.dumps(answer_line(line)).encode() + b"\n")
                stream.flush()


def main() -> None:
    if "UOPDIFF_SOCKET" not in os.environ:
        sys.exit("worker.py is started by uopdiff, which sets UOPDIFF_SOCKET")
    try:
        serve(os.environ["UOPDIFF_SOCKET"])
    except MemoryError as error:
        print(f"MemoryError: {error}", file=sys.stderr, flush=True)
        os._exit(137)  # an orderly exit might want memory, too
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        sys.exit(0)


if __name__ == "__main__":
    main()
