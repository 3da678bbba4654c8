//! Takes out of a compiler's messages what changes between runs or machines: directories, ids, addresses.

/// Longer texts are `Debug` prints of whole graphs.
const MAX_CHARS: usize = 4000;

/// What stands before an id that is counted over the whole process
/// (Debug of UOp and Op::Unique; errors and panics of morok-tensor, -runtime, -schedule, -codegen).
const BEFORE_IDS: &[&str] = &[
    "id: ",
    "id=",
    "id ",
    "UOp ",
    "Kernel ",
    "kernel for buffer ",
    "reads buffer ",
    "Unique(",
    "content_hash: ",
    "BufferId(",
];

/// The text with directories, ids and addresses cut.
pub fn clean(message: &str) -> String {
    let mut text = cut_paths(message.trim_end());
    for marker in BEFORE_IDS {
        text = mask(&text, marker, "_", 1, |c| c.is_ascii_digit());
    }
    text = mask(&text, "0x", "_", 4, |c| c.is_ascii_hexdigit());
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Replaces each run of at least `least` characters that `wanted` accepts behind `marker`.
fn mask(text: &str, marker: &str, by: &str, least: usize, wanted: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(marker) {
        let (before, behind) = rest.split_at(at + marker.len());
        let end = behind.find(|c| !wanted(c)).unwrap_or(behind.len());
        // `Void 3` is no id, `id 3` is one.
        let inside_word = marker.starts_with(char::is_alphabetic)
            && before[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        out.push_str(before);
        out.push_str(if end >= least && !inside_word { by } else { &behind[..end] });
        rest = &behind[end..];
    }
    out + rest
}

fn cut_paths(text: &str) -> String {
    let separators = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';');
    text.split_inclusive(separators)
        .map(|piece| {
            let end = piece.trim_end_matches(separators).len();
            let (word, separator) = piece.split_at(end);
            if word.starts_with('/') { cut_path(word) + separator } else { piece.to_string() }
        })
        .collect()
}

/// The path of a source file from its crate on; of any other file nothing.
fn cut_path(path: &str) -> String {
    if path.contains("/src/") {
        return source_file(path);
    }
    if path.matches('/').count() < 2 {
        return path.to_string(); // a division sign, not a path
    }
    "PATH".to_string()
}

/// `.../morok-ir-0.1.0-alpha.2/src/uop/core.rs` as `morok-ir-0.1.0-alpha.2/src/uop/core.rs`.
pub fn source_file(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.iter().rposition(|part| *part == "src") {
        Some(at) => parts[at.saturating_sub(1)..].join("/"),
        None => parts.last().unwrap_or(&path).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_go() {
        assert_eq!(
            clean("failed at /home/u/.cargo/registry/src/i-1/morok-ir-0.1.0-alpha.2/src/x.rs:3, ok"),
            "failed at morok-ir-0.1.0-alpha.2/src/x.rs:3, ok"
        );
        assert_eq!(clean("cannot open '/tmp/.tmpA1b2/k.c'"), "cannot open 'PATH'");
        assert_eq!(clean("a / b and <stdin>:3:5 and m/s"), "a / b and <stdin>:3:5 and m/s");
        assert_eq!(
            source_file("/h/.cargo/registry/src/i-1/morok-runtime-0.1.0-alpha.2/src/a/b.rs"),
            "morok-runtime-0.1.0-alpha.2/src/a/b.rs"
        );
        assert_eq!(source_file("src/text.rs"), "src/text.rs");
    }

    #[test]
    fn ids_and_addresses_go_and_other_numbers_stay() {
        assert_eq!(clean("Buffer for UOp 4711 not found"), "Buffer for UOp _ not found");
        assert_eq!(
            clean("UOp { id: 12, op: Const(ConstValueHash(Int(3))), content_hash: 99 }"),
            "UOp { id: _, op: Const(ConstValueHash(Int(3))), content_hash: _ }"
        );
        assert_eq!(clean("node \"Index\" (id=77) seen twice"), "node \"Index\" (id=_) seen twice");
        assert_eq!(clean("at 0x7f001234ab, mask 0xff"), "at 0x_, mask 0xff");
        assert_eq!(clean("Void 3 and axis 2 of 3"), "Void 3 and axis 2 of 3");
        assert_eq!(clean("axis_id: 3"), "axis_id: 3");
    }

    #[test]
    fn long_texts_end() {
        assert_eq!(clean(&"é".repeat(5000)).chars().count(), MAX_CHARS + 3);
    }
}
