"""Exceptions of tinygrad as the statuses of the protocol, with texts that do not change between runs."""

import re
import subprocess
import traceback
from pathlib import Path

import tinygrad
from operations import Unsupported

PACKAGE = Path(tinygrad.__file__).parent


class CompileFailed(Exception):
    """The C compiler refused generated code; the text is its output."""


def clean(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]{4,}", "0x_", text)
    text = re.sub(r"(?:/[\w.+-]+)+/(tinygrad/[\w/.-]+)", r"\1", text)
    return re.sub(r"/tmp/[\w./-]+", "TEMP", text)[:4000]


def place(error: BaseException) -> str:
    """The innermost frame inside the package."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if PACKAGE in path.parents:
            return f" (at {path.relative_to(PACKAGE.parent)}:{frame.lineno})"
    return ""


def status_of(error: BaseException) -> tuple[str, str]:
    if isinstance(error, Unsupported):
        return "unsupported", str(error)
    if isinstance(error, CompileFailed):
        return "compile-failed", clean(str(error))
    panicked = isinstance(error, AssertionError | RecursionError)
    text = f"{type(error).__name__}: {error}"
    return "panicked" if panicked else "rejected", clean(text) + place(error)


def compiler_output(error: subprocess.CalledProcessError, source: str) -> str:
    """Runs the failed compiler again for its text: tinygrad lets it go to stderr."""
    again = subprocess.run(error.cmd, input=source.encode(), capture_output=True, check=False)
    return again.stderr.decode(errors="replace")
