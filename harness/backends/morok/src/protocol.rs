//! One request to one reply (harness/backends/PROTOCOL.md).

use std::time::Instant;

use morok_tensor::PrepareConfig;
use morok_tensor::schedule::ScheduleItem;
use serde_json::{Map, Value, json};

use crate::failure::{self, Failure, Status};
use crate::schedule::Schedule;
use crate::{codegen, execute, operations, program, schedule};

pub const PROTOCOL: u64 = 1;
pub const VERSION: &str = "0.1.0-alpha.2";

pub fn handshake() -> Value {
    json!({
        "protocol": PROTOCOL, "backend": "morok", "version": VERSION, "ops": operations::names(),
        "dtypes": program::DTYPES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "options": ["noopt"], "clang": clang_version(),
    })
}

/// Empty without a `clang` on PATH, as then everything that compiles is rejected by Morok.
fn clang_version() -> String {
    let output = std::process::Command::new("clang").arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let after = text.split("version ").nth(1).unwrap_or("");
    after.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("").to_string()
}

fn rss_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("");
    let kb: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or(0);
    kb >> 10
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
    fn new() -> Self {
        let (kernels, outputs) = (json!([]), json!([]));
        Self { step: "", started: Instant::now(), times: Map::new(), kernels, outputs }
    }
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
    fn attach_sources(&mut self, schedule: &Schedule, config: &PrepareConfig) -> Result<(), Failure> {
        for (kernel, item) in self.kernels.as_array_mut().into_iter().flatten().zip(&schedule.items) {
            kernel["source"] = json!(codegen::source(&item.ast, config)?);
        }
        Ok(())
    }
    /// Code that was refused goes with the kernel it was made from; with the first one, when that is a kernel of the
    /// program only and not of its structure.
    fn attach_refused(&mut self, code: &str, schedule: &Schedule, config: &PrepareConfig) {
        let name =
            code.split_once("void ").and_then(|(_, rest)| rest.split_once('(')).map_or("", |(name, _)| name);
        let code = if name.is_empty() { code.to_string() } else { codegen::without_number(code, name) };
        let made_from =
            |item: &ScheduleItem| codegen::source(&item.ast, config).is_ok_and(|made| made == code);
        let position = || Ok(schedule.items.iter().position(made_from));
        let position = failure::catch(position).ok().flatten().unwrap_or(0);
        if let Some(kernel) = self.kernels.get_mut(position) {
            kernel["source"] = json!(code);
        }
    }
}

fn run(request: &Value, config: &PrepareConfig, progress: &mut Progress) -> Result<(), Failure> {
    let (program, inputs) = (&request["program"], &request["inputs"]);
    let structure = if request["structure"].is_null() { program } else { &request["structure"] };
    let asked = |key: &str| request[key].as_bool().unwrap_or(false);

    // Only a program without a structure beside it, and one whose values are wanted, runs on the way.
    let executed = |which: &Value| (asked("values") && std::ptr::eq(which, program)).then_some(config);
    progress.enter("build");
    let mut built = program::build(structure, inputs, executed(structure))?;
    progress.enter("schedule");
    let mut schedule = schedule::schedule(&built)?;
    progress.kernels = schedule.to_json();
    if asked("source") {
        progress.enter("compile");
        progress.attach_sources(&schedule, config)?;
    }
    if !asked("values") {
        return Ok(());
    }
    if !std::ptr::eq(program, structure) {
        progress.enter("build");
        built = program::build(program, inputs, executed(program))?;
    }
    progress.enter("compile");
    let prepared = execute::prepare(&mut built.outputs, config);
    if let Err(Failure { code: Some(code), .. }) = &prepared {
        progress.attach_refused(code, &schedule, config);
    }
    let plan = prepared?;
    progress.enter("execute");
    if let Some(plan) = &plan {
        execute::run(plan)?;
    }
    progress.outputs = execute::read(&built)?;
    Ok(())
}

/// The reply to one request. Never panics, whatever Morok does with the program.
pub fn answer(request: &Value, noopt: bool) -> Value {
    let mut progress = Progress::new();
    let result = failure::catch(|| run(request, &codegen::config(noopt), &mut progress));
    progress.leave();
    let (status, message) = match &result {
        Ok(()) => ("ok", ""),
        Err(failure) => (failure.status.name(), failure.message.as_str()),
    };
    json!({
        "id": request["id"], "status": status, "step": progress.step, "message": message,
        "outputs": progress.outputs, "kernels": progress.kernels, "times": progress.times, "rss_mb": rss_mb(),
    })
}

/// A request from one line; a line that is none gives the reply that says so.
pub fn parse_request(line: &[u8]) -> Result<Value, Value> {
    let problem = |id: &Value, message: String| {
        let status = Status::ProtocolError.name();
        json!({"id": id, "status": status, "step": "", "message": message})
    };
    let request: Value = serde_json::from_slice(line)
        .map_err(|error| problem(&Value::Null, format!("a request is not JSON: {error}")))?;
    let missing = ["program", "inputs"].into_iter().find(|key| !request[*key].is_object());
    match missing {
        Some(key) => Err(problem(&request["id"], format!("the request lacks the object '{key}'"))),
        None => Ok(request),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubbish_gets_a_reply_that_says_so() {
        let message = |line: &[u8]| {
            let reply = parse_request(line).unwrap_err();
            assert_eq!(reply["status"], "protocol-error");
            (reply["id"].clone(), reply["message"].as_str().unwrap().to_string())
        };
        for line in [&b"rubbish"[..], b"", b"{\"id\":1", b"\xff\xfe"] {
            let (id, text) = message(line);
            assert_eq!(id, Value::Null);
            assert!(text.starts_with("a request is not JSON: "), "{text}");
        }
        assert_eq!(message(b"[1]"), (Value::Null, "the request lacks the object 'program'".into()));
        assert_eq!(
            message(br#"{"id":7,"program":{}}"#),
            (json!(7), "the request lacks the object 'inputs'".into())
        );
    }

    #[test]
    fn a_failed_request_keeps_what_was_reached() {
        let request = json!({"id": 5, "program": {"nodes": [], "outputs": ["x"]}, "inputs": {}});
        let reply = answer(&request, false);
        assert_eq!(reply["id"], 5);
        assert_eq!(reply["status"], "protocol-error");
        assert_eq!(reply["step"], "build");
        assert_eq!(reply["message"], "output 'x' is not defined");
        assert!(reply["times"]["build"].is_f64());
        assert!(reply["rss_mb"].as_u64().unwrap() > 0);
    }
}
