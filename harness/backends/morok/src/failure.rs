//! What can go wrong with one program, as the statuses of the protocol, with texts that do not change between runs.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    Unsupported,
    Rejected,
    Panicked,
    CompileFailed,
    ProtocolError,
}

impl Status {
    pub fn name(&self) -> &'static str {
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
}

impl Failure {
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { status: Status::Unsupported, message: message.into() }
    }
    pub fn protocol(message: impl Into<String>) -> Self {
        Self { status: Status::ProtocolError, message: message.into() }
    }
    pub fn rejected(message: impl Into<String>) -> Self {
        Self { status: Status::Rejected, message: clean(&message.into()) }
    }
}

/// Failed runs of the C compiler come back wrapped in errors of several layers; their text is the only mark.
const COMPILER_MARK: &str = "clang compilation failed";

impl From<morok_tensor::error::Error> for Failure {
    fn from(error: morok_tensor::error::Error) -> Self {
        let message = error.to_string();
        let status = if message.contains(COMPILER_MARK) { Status::CompileFailed } else { Status::Rejected };
        Self { status, message: clean(&message) }
    }
}

/// Cuts directories off source paths (`.../morok-ir-0.1.0-alpha.2/src/x.rs` to `morok-ir-0.1.0-alpha.2/src/x.rs`)
/// and ids and addresses out of the text.
pub fn clean(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    for (i, word) in message.split(' ').enumerate() {
        if i > 0 {
            out.push(' ');
        }
        out.push_str(&clean_word(word));
    }
    out
}

fn clean_word(word: &str) -> String {
    if let Some(at) = word.find("morok-")
        && word[..at].contains('/')
    {
        let start = word[..at].find('/').unwrap_or(0);
        return format!("{}{}", &word[..start], &word[at..]);
    }
    if let Some(at) = word.find("0x")
        && word.len() > at + 6
        && word[at + 2..at + 6].chars().all(|c| c.is_ascii_hexdigit())
    {
        let end = word[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).map_or(word.len(), |k| at + 2 + k);
        return format!("{}0x_{}", &word[..at], &word[end..]);
    }
    word.to_string()
}

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn remember(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a text".to_string());
    let place = info.location().map(|l| format!(" (at {}:{})", source_file(l.file()), l.line()));
    let message = format!("{}{}", clean(&text), place.unwrap_or_default());
    eprintln!("panic: {message}");
    LAST_PANIC.with(|last| *last.borrow_mut() = Some(message));
}

/// The path of a source file from its crate on; of a crate outside the registry only the end.
fn source_file(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.iter().rposition(|part| *part == "src") {
        Some(at) => parts[at.saturating_sub(1)..].join("/"),
        None => parts.last().unwrap_or(&path).to_string(),
    }
}

/// Keeps text and place of panics for `catch`.
pub fn install_hook() {
    std::panic::set_hook(Box::new(remember));
}

/// Runs `f`; a panic becomes a failure with its text and place.
pub fn catch<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or_else(|_| {
        let message = LAST_PANIC.with(|last| last.borrow_mut().take());
        Err(Failure { status: Status::Panicked, message: message.unwrap_or_else(|| "panic".to_string()) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_messages_lose_directories_and_addresses() {
        assert_eq!(
            clean(
                "failed at /home/u/.cargo/registry/src/i/morok-ir-0.1.0-alpha.2/src/x.rs:3 for 0x7f001234ab, ok"
            ),
            "failed at morok-ir-0.1.0-alpha.2/src/x.rs:3 for 0x_, ok"
        );
        assert_eq!(
            source_file("/a/morok-ir-0.1.0-alpha.2/src/uop/core.rs"),
            "morok-ir-0.1.0-alpha.2/src/uop/core.rs"
        );
        assert_eq!(
            source_file("/h/.cargo/registry/src/index-1/morok-runtime-0.1.0-alpha.2/src/dispatch.rs"),
            "morok-runtime-0.1.0-alpha.2/src/dispatch.rs"
        );
        assert_eq!(clean("plain text"), "plain text");
    }

    #[test]
    fn a_panic_becomes_a_failure_with_text_and_place() {
        install_hook();
        let failure = catch::<()>(|| panic!("boom {}", 7)).unwrap_err();
        assert_eq!(failure.status, Status::Panicked);
        assert!(failure.message.starts_with("boom 7 (at "), "{}", failure.message);
        assert!(failure.message.contains("src/failure.rs:"), "{}", failure.message);
    }
}
