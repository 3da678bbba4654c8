//! One request to one reply, and the loop over the socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::failure::{self, Failure};
use crate::{execute, operations, program, schedule};

pub const PROTOCOL: u64 = 1;
pub const VERSION: &str = "0.1.0-alpha.2";

/// Deep graphs are walked by recursion in the compiler.
const STACK_BYTES: usize = 512 << 20;

pub fn handshake() -> Value {
    json!({
        "protocol": PROTOCOL, "backend": "morok", "version": VERSION, "ops": operations::NAMES,
        "dtypes": ["bool", "i32", "f32"], "options": ["noopt"], "clang": clang_version(),
    })
}

fn clang_version() -> String {
    let output = std::process::Command::new("clang").arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let after = text.split("version ").nth(1).unwrap_or("");
    after.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("").to_string()
}

fn rss_mb() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    (pages * 4096) >> 20
}

/// Collects what was reached, so that a failure keeps it.
struct Progress {
    step: &'static str,
    started: Instant,
    times: Map<String, Value>,
    kernels: Value,
    outputs: Value,
}

impl Progress {
    fn enter(&mut self, step: &'static str) {
        self.leave();
        self.step = step;
        self.started = Instant::now();
    }
    fn leave(&mut self) {
        if !self.step.is_empty() {
            let ms = self.started.elapsed().as_secs_f64() * 1e3;
            let before = self.times.get(self.step).and_then(Value::as_f64).unwrap_or(0.0);
            self.times.insert(self.step.to_string(), json!(((before + ms) * 1e3).round() / 1e3));
        }
    }
}

fn run(request: &Value, progress: &mut Progress) -> Result<(), Failure> {
    let separate = !request["structure"].is_null();
    let structure = if separate { &request["structure"] } else { &request["program"] };
    progress.enter("build");
    let mut built = program::build(structure, &request["inputs"])?;
    progress.enter("schedule");
    progress.kernels = schedule::kernels(&built)?;
    if !request["values"].as_bool().unwrap_or(false) {
        return Ok(());
    }
    if separate {
        progress.enter("build");
        built = program::build(&request["program"], &request["inputs"])?;
    }
    progress.enter("compile");
    let prepared = execute::prepare(&mut built.outputs)?;
    if !separate {
        attach_sources(progress, &prepared.sources);
    }
    progress.enter("execute");
    prepared.run()?;
    progress.outputs = execute::read(&mut built.outputs)?;
    Ok(())
}

/// Generated code goes with the kernel of the same position; only when the two lists are of one program.
fn attach_sources(progress: &mut Progress, sources: &[String]) {
    let Some(kernels) = progress.kernels.as_array_mut() else { return };
    if kernels.len() == sources.len() {
        for (kernel, source) in kernels.iter_mut().zip(sources) {
            kernel["source"] = json!(source);
        }
    }
}

/// The reply to one request; never panics for what a program does.
pub fn answer(request: &Value) -> Value {
    let mut progress = Progress {
        step: "",
        started: Instant::now(),
        times: Map::new(),
        kernels: json!([]),
        outputs: json!([]),
    };
    let result = failure::catch(|| run(request, &mut progress));
    progress.leave();
    let (status, message) = match &result {
        Ok(()) => ("ok", ""),
        Err(failure) => (failure.status.name(), failure.message.as_str()),
    };
    if !request["source"].as_bool().unwrap_or(false) && status == "ok" {
        for kernel in progress.kernels.as_array_mut().into_iter().flatten() {
            kernel.as_object_mut().map(|fields| fields.remove("source"));
        }
    }
    json!({
        "id": request["id"], "status": status, "step": progress.step, "message": message,
        "outputs": progress.outputs, "kernels": progress.kernels, "times": progress.times, "rss_mb": rss_mb(),
    })
}

/// The reply to one line, which may be anything.
pub fn answer_line(line: &str) -> Value {
    match serde_json::from_str::<Value>(line) {
        Ok(request) if request["program"].is_object() => answer(&request),
        Ok(_) => {
            json!({"id": null, "status": "protocol-error", "step": "", "message": "the request has no program"})
        }
        Err(error) => {
            json!({"id": null, "status": "protocol-error", "step": "", "message": format!("not JSON: {error}")})
        }
    }
}

/// Schedules one fixed program, so that tables which are made on first use are there before the first request.
fn warm_up() {
    let node = |name: &str, op: &str, shape: Value, src: Value, attrs: Value| json!({"name": name, "op": op, "dtype": "f32", "shape": shape, "src": src, "attrs": attrs});
    let nodes = [
        node("a", "input", json!([2, 3]), json!([]), json!({"fill": "zeros", "seed": 0})),
        node("b", "permute", json!([3, 2]), json!(["a"]), json!({"axes": [1, 0]})),
        node("c", "sum", json!([3]), json!(["b"]), json!({"axes": [1], "keepdim": false})),
    ];
    let program = json!({"nodes": nodes, "outputs": ["c"]});
    answer(&json!({"id": 0, "program": program, "inputs": {"a": STANDARD.encode([0u8; 24])}}));
}

/// Runs `f` in a forked copy of this process. What Morok makes of a program depends on the ids of earlier nodes
/// (morok-schedule 0.1.0-alpha.2, src/symbolic/patterns.rs orders operands of index sums by them), so every program starts from the same state;
/// and what it leaves in caches is gone with the copy.
fn in_copy(f: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<()> {
    // SAFETY: the other threads of this process only wait for this one.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        0 => {
            let code = if f().is_ok() { 0 } else { 1 };
            // SAFETY: ends the copy without running what the original will run at its end.
            unsafe { libc::_exit(code) }
        }
        child => wait_for(child),
    }
}

/// Dies as the copy died: the harness is to see one death.
fn wait_for(child: libc::pid_t) -> std::io::Result<()> {
    let mut status = 0;
    // SAFETY: `child` is ours and not waited for elsewhere.
    while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    if libc::WIFSIGNALED(status) {
        // SAFETY: ends this process.
        unsafe { libc::raise(libc::WTERMSIG(status)) };
    }
    if status == 0 {
        Ok(())
    } else {
        Err(std::io::Error::other(format!("a program's process ended with {status}")))
    }
}

fn serve(stream: UnixStream) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    warm_up();
    writeln!(writer, "{}", handshake())?;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        in_copy(|| writeln!(writer, "{}", answer_line(&line)))?;
    }
    Ok(())
}

/// Answers requests on the socket of `UOPDIFF_SOCKET` until the harness closes it.
pub fn serve_from_environment(path: &str) -> std::io::Result<()> {
    let options = std::env::var("UOPDIFF_OPTIONS").unwrap_or_default();
    if options.split(',').any(|option| option == "noopt") {
        // SAFETY: no other thread of this process reads the environment yet.
        unsafe { std::env::set_var("MOROK_NOOPT", "1") };
    }
    failure::install_hook();
    let stream = UnixStream::connect(path)?;
    let worker =
        std::thread::Builder::new().name("worker".into()).stack_size(STACK_BYTES).spawn(|| serve(stream))?;
    worker.join().unwrap_or_else(|_| Err(std::io::Error::other("the worker thread panicked")))
}
