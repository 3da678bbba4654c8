//! The loop over the harness's socket: one line, one program, one process.
//!
//! A program's kernels depend on what the process did before: Morok orders operands by the ids of UOps, which are
//! counted over the process, and UOps stay alive in cycles of `Arc` (a RANGE is in its own cache of ranges;
//! morok-ir 0.1.0-alpha.2, src/uop/core.rs), in a table of optimised kernels that cannot be cleared (OPT_CACHE;
//! morok-tensor, src/realize.rs) and in others. So each program gets a fork of a process that never ran one.

use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::os::unix::net::UnixStream;
use std::thread::Builder;

use serde_json::Value;

use crate::{bf16, failure, protocol};

/// Graphs are walked by recursion in the compiler; pages that are not touched cost nothing.
const STACK_BYTES: usize = 512 << 20;

fn send(stream: &mut UnixStream, message: &Value) -> Result<()> {
    stream.write_all(format!("{message}\n").as_bytes())
}

/// What the child does; returns its exit code.
fn answer_in_child(stream: &mut UnixStream, request: Value, noopt: bool) -> i32 {
    let work = move || protocol::answer(&request, noopt);
    let thread = Builder::new().name("program".into()).stack_size(STACK_BYTES).spawn(work);
    let sent = thread.map(|thread| thread.join()).map(|reply| reply.map(|reply| send(stream, &reply)));
    match sent {
        Ok(Ok(Ok(()))) => 0,
        Ok(Ok(Err(error))) if gone(&error) => 0,
        problem => {
            eprintln!("no reply: {problem:?}");
            1
        }
    }
}

/// Waits for the child; a signal that killed it kills this process, too, so that the harness sees it.
fn wait_for(child: libc::pid_t) -> Result<()> {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    while unsafe { libc::waitpid(child, &mut status, 0) } < 0 {
        let error = Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        eprintln!("a program ended its process by signal {signal}");
        // SAFETY: the default action needs no handler.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    if status == 0 { Ok(()) } else { Err(Error::other("the process of a program failed")) }
}

fn answer(stream: &mut UnixStream, request: Value, noopt: bool) -> Result<()> {
    // SAFETY: the other threads of this process, those of the test runner, only wait; none holds a lock that the
    // child takes. The child ends by _exit, which runs nothing that belongs to them.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last_os_error()),
        0 => {
            let code = answer_in_child(stream, request, noopt);
            unsafe { libc::_exit(code) }
        }
        child => wait_for(child),
    }
}

/// What costs time in a new process and makes no UOp: the device, and the first of Morok's lock-free tables, for
/// which the kernel waits until every core knows of it (membarrier).
fn warm_up() -> Result<()> {
    bf16::provide();
    morok_tensor::tensor_registry::gc_dead_refs();
    morok_device::registry::cpu().map_err(Error::other)?;
    Ok(())
}

/// Sends the handshake, then answers lines until the other side closes.
pub fn serve(mut stream: UnixStream, noopt: bool) -> Result<()> {
    failure::install_hook();
    let mut reader = BufReader::new(stream.try_clone()?);
    warm_up()?;
    send(&mut stream, &protocol::handshake())?;
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        match protocol::parse_request(&line) {
            Ok(request) => answer(&mut stream, request, noopt)?,
            Err(problem) => send(&mut stream, &problem)?,
        }
        line.clear();
    }
    Ok(())
}

fn gone(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// Serves the socket at `path` with the options of the environment until the harness closes it.
pub fn serve_path(path: &str) -> Result<()> {
    let options = std::env::var("UOPDIFF_OPTIONS").unwrap_or_default();
    let noopt = options.split(',').any(|option| option == "noopt");
    let stream = UnixStream::connect(path)
        .map_err(|error| Error::new(error.kind(), format!("cannot connect to {path}: {error}")))?;
    match serve(stream, noopt) {
        Err(error) if gone(&error) => Ok(()),
        result => result,
    }
}
