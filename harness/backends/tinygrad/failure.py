"""Exceptions as the statuses of the protocol, with texts that do not change between runs."""

import errno
import re
import traceback
from pathlib import Path

import tinygrad

PACKAGE = Path(tinygrad.__file__).parent
LONGEST = 4000


class Unsupported(Exception):
    """The adapter has no call for this."""


class AdapterFault(Exception):
    """The adapter did something else than the program says; never to be taken for a finding."""


class CompileFailed(Exception):
    """The C compiler refused generated code; the text is its output."""


def clean(text: str) -> str:
    """Without addresses, numbers counted up per process, and directories of this machine."""
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x_", text)
    text = re.sub(r"(Ops\.UNIQUE, dtypes\.void, arg=)\d+", r"\1_", text)
    text = re.sub(r"(?:/[\w.+-]+)+/(tinygrad/[\w/.-]+)", r"\1", text)
    text = re.sub(r"/tmp/[\w./-]+", "TEMP", text)
    return re.sub(r"(?<![\w./:])/(?:[\w.+-]+/)+", "", text)[:LONGEST]


def place(error: BaseException) -> str | None:
    """The innermost frame inside the package, as FILE:LINE."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if PACKAGE in path.parents:
            found = f"{path.relative_to(PACKAGE.parent)}:{line}"
    return found


def is_out_of_memory(error: BaseException) -> bool:
    """mmap and fork say ENOMEM where Python's own allocator raises MemoryError."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def status_of(error: Exception) -> tuple[str, str]:
    """Status and message."""
    if isinstance(error, Unsupported):
        return "unsupported", str(error)
    if isinstance(error, CompileFailed):
        return "compile-failed", clean(str(error))
    text, where = clean(f"{type(error).__name__}: {error}".removesuffix(": ")), place(error)
    if where is None:  # nothing of tinygrad was running
        return "protocol-error", f"fault of the adapter: {text}"
    panicked = isinstance(error, AssertionError | RecursionError)
    return "panicked" if panicked else "rejected", f"{text} (at {where})"
