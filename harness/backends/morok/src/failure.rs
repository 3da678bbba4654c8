//! What can go wrong with one program, as the statuses of the protocol, with texts that do not change between runs.

use std::panic::PanicHookInfo;
use std::sync::Mutex;

use crate::text::{clean, source_file};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Status {
    Unsupported,
    Rejected,
    Panicked,
    CompileFailed,
    ProtocolError,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Rejected => "rejected",
            Self::Panicked => "panicked",
            Self::CompileFailed => "compile-failed",
            Self::ProtocolError => "protocol-error",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub status: Status,
    pub message: String,
    /// Generated code that the C compiler refused.
    pub code: Option<String>,
}

impl Failure {
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { status: Status::Unsupported, message: message.into(), code: None }
    }
    pub fn protocol(message: impl Into<String>) -> Self {
        Self { status: Status::ProtocolError, message: message.into(), code: None }
    }
    pub fn rejected(error: impl std::fmt::Display) -> Self {
        Self { status: Status::Rejected, message: clean(&error.to_string()), code: None }
    }
}

// morok-runtime 0.1.0-alpha.2, src/jit_loader.rs, compile_to_object: the only mark of a refusal is its text.
const BEFORE_COMPILER_OUTPUT: &str = "clang compilation failed:\n";
const BEHIND_COMPILER_OUTPUT: &str = "\nSource:\n";

impl From<morok_tensor::error::Error> for Failure {
    fn from(error: morok_tensor::error::Error) -> Self {
        let text = error.to_string();
        let Some((_, output)) = text.split_once(BEFORE_COMPILER_OUTPUT) else {
            return Self::rejected(text);
        };
        let (output, code) = match output.split_once(BEHIND_COMPILER_OUTPUT) {
            Some((output, code)) => (output, Some(code.to_string())),
            None => (output, None),
        };
        Self { status: Status::CompileFailed, message: clean(output), code }
    }
}

/// The last panic of any thread: rayon passes a panic of its threads on without the text of the hook.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

fn remember(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a text".to_string());
    let place = info.location().map(|l| format!(" (at {}:{})", source_file(l.file()), l.line()));
    let message = clean(&text) + &place.unwrap_or_default();
    eprintln!("panic: {message}");
    *LAST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(message);
}

/// Keeps text and place of panics for `catch`.
pub fn install_hook() {
    std::panic::set_hook(Box::new(remember));
}

/// Runs `f`; a panic becomes a failure with its text and place.
pub fn catch<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or_else(|_| {
        let last = LAST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        let message = last.unwrap_or_else(|| "panic".to_string());
        Err(Failure { status: Status::Panicked, message, code: None })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_with_text_and_place() {
        install_hook();
        let failure = catch::<()>(|| panic!("boom {}", 7)).unwrap_err();
        assert_eq!(failure.status, Status::Panicked);
        let (text, line) = failure.message.split_once(" (at src/failure.rs:").expect(&failure.message);
        assert_eq!(text, "boom 7");
        assert!(line.trim_end_matches(')').parse::<u32>().is_ok(), "{line}");
    }

    #[test]
    fn a_refusal_of_the_c_compiler_is_its_output_alone() {
        let reason = "clang compilation failed:\n<stdin>:1:2: error: x\n\nSource:\nvoid f() {}";
        let error = morok_tensor::error::Error::IrConstruction { details: reason.to_string() };
        let failure = Failure::from(error);
        assert_eq!(failure.status, Status::CompileFailed);
        assert_eq!(failure.message, "<stdin>:1:2: error: x");
        assert_eq!(failure.code.as_deref(), Some("void f() {}"));
    }

    #[test]
    fn another_error_is_a_rejection_with_its_own_text() {
        let failure = Failure::from(morok_tensor::error::Error::BufferNotFound { uop_id: 12 });
        assert_eq!(failure.status, Status::Rejected);
        assert_eq!(failure.message, "Buffer for UOp _ not found in registry");
    }
}
