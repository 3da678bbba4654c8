"""A worker for tests of faults only: its replies are empty, and it misbehaves as its argument says.

Arguments: a behaviour, and the number of the request at which it shows (default 2; counted by each process).
"bad-first-start" has a file instead: while it is not there, the worker makes it and ends.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

behaviour = sys.argv[1] if len(sys.argv) > 1 else "good"
at = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 2
DTYPES = ["bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "bf16", "f32", "f64"]
OPS = json.loads(os.environ.get("FAKE_OPS", "[]"))


def reply(request, **fields):
    base = {
        "id": request["id"],
        "status": "ok",
        "step": "schedule",
        "message": "",
        "kernels": [],
        "rss_mb": 10,
    }
    return json.dumps(base | fields)


def misbehave(request, stream, connection):
    if behaviour == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "exit":
        print("going down", flush=True)
        os._exit(3)
    if behaviour == "hang":
        time.sleep(60)
    if behaviour == "hang-with-child":
        subprocess.Popen(["sleep", "61"])
        time.sleep(60)
    if behaviour == "exit-with-child":
        subprocess.Popen(["sleep", "62"])
        os._exit(0)
    if behaviour == "exit-with-socket-held":
        if os.fork() == 0:
            time.sleep(63)
        os._exit(4)
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "exit-137":
        os._exit(137)
    if behaviour == "print":
        while True:
            os.write(1, b"x" * (1 << 20))
    if behaviour == "print-bytes":
        os.write(1, b"caf\xc3\xa9 \xff\x1b[31m\n")
        os._exit(3)
    if behaviour == "dribble":
        while True:
            connection.sendall(b" ")
            time.sleep(0.01)
    if behaviour in ("die-later", "twice-later", "deaf-later"):
        stream.write(reply(request) + "\n")
        stream.flush()
        if behaviour == "die-later":
            os._exit(3)
        if behaviour == "twice-later":
            time.sleep(0.05)
            stream.write(reply(request) + "\n")
            stream.flush()
        time.sleep(60)
    if behaviour == "memory":
        hoard = bytearray(700 << 20)
        hoard[::4096] = b"x" * len(hoard[::4096])
        time.sleep(60)
    if behaviour == "memory-error":
        print("MemoryError", file=sys.stderr, flush=True)
        os._exit(1)
    if behaviour == "close":
        connection.shutdown(socket.SHUT_RDWR)
        time.sleep(60)
    if behaviour == "half":
        stream.write(reply(request)[:20])
        stream.flush()
        os._exit(1)
    answers = {
        "rubbish": "\x00\xff not json",
        "number": "42",
        "long-rubbish": '{"id": "' + "\xff" * 5000,
        "harness-status": reply(request, status="crashed"),
        "short-data": reply(request, outputs=[{"dtype": "f32", "shape": [2], "data": "AACAPw=="}]),
        "wrong-id": json.dumps(json.loads(reply(request)) | {"id": -1}),
        "no-status": json.dumps({"id": request["id"]}),
        "bad-data": reply(request, outputs=[{"dtype": "f32", "shape": [1], "data": "?"}]),
        "twice": reply(request) + "\n" + reply(request),
        "huge": reply(request, message="x" * (50 << 20)) if behaviour == "huge" else "",
        "fat": reply(request, rss_mb=5000),
    }
    stream.write(answers[behaviour] + "\n")
    stream.flush()


if behaviour == "never-connects":
    time.sleep(60)
if behaviour == "bad-first-start" and not os.path.exists(sys.argv[2]):
    open(sys.argv[2], "x").close()
    sys.exit(6)
if behaviour == "dies-at-start":
    print("no such thing", flush=True)
    sys.exit(5)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(os.environ["UOPDIFF_SOCKET"])
    stream = connection.makefile("rw", encoding="latin-1", newline="\n")
    hello = {"protocol": 1, "backend": "fake", "version": "1", "ops": OPS, "dtypes": DTYPES}
    if behaviour == "old-protocol":
        hello["protocol"] = 0
    stream.write("hello\n" if behaviour == "bad-handshake" else json.dumps(hello) + "\n")
    stream.flush()
    for count, line in enumerate(stream, 1):
        if behaviour not in ("good", "bad-first-start") and count == at:
            misbehave(json.loads(line), stream, connection)
        else:
            stream.write(reply(json.loads(line)) + "\n")
            stream.flush()
