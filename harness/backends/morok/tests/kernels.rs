//! The kernels of a reply: graphs, buffers, order, generated code. Needs clang-19, or a `clang` on PATH.

mod common;

use common::{F, I, Program, output};
use serde_json::{Value, json};

fn kernels(reply: &Value) -> &Vec<Value> {
    assert_eq!(reply["status"], "ok", "{}: {}", reply["step"], reply["message"]);
    reply["kernels"].as_array().unwrap()
}

fn iota(count: usize) -> common::Data {
    F((0..count).map(|k| k as f32).collect())
}

/// `[rows,4]` by `[4,2]`.
fn matmul_of(rows: usize) -> Program {
    let mut program = Program::default();
    program.input("a", &[rows, 4], &iota(4 * rows)).input("b", &[4, 2], &iota(8));
    program.node("c", "matmul", "f32", &[rows, 2], &["a", "b"], json!({}));
    program
}

fn matmul() -> Program {
    matmul_of(3)
}

#[test]
fn matmul_is_one_kernel_with_two_loops_and_one_reduce() {
    let reply = matmul().answer(&["c"]);
    assert_eq!(kernels(&reply).len(), 1);
    let kernel = &kernels(&reply)[0];
    assert_eq!(
        kernel["buffers"],
        json!([
            {"kind": "output", "index": 0, "dtype": "f32", "size": 6},
            {"kind": "input", "name": "a", "dtype": "f32", "size": 12},
            {"kind": "input", "name": "b", "dtype": "f32", "size": 8},
        ])
    );
    let graph = kernel["graph"].as_array().unwrap();
    let of = |op: &str| graph.iter().filter(|node| node[0] == op).collect::<Vec<_>>();
    let extent = |range: &Value| graph[range[3][0].as_u64().unwrap() as usize][2].clone();
    let ranges: Vec<(Value, Value)> = of("RANGE").iter().map(|r| (r[2][1].clone(), extent(r))).collect();
    let mut sorted: Vec<String> = ranges.iter().map(|(kind, extent)| format!("{kind} {extent}")).collect();
    sorted.sort();
    assert_eq!(sorted, ["\"LOOP\" 2", "\"LOOP\" 3", "\"REDUCE\" 4"]);
    assert_eq!(of("REDUCE").len(), 1);
    assert_eq!(of("REDUCE")[0][2], "ADD");
    let mut slots: Vec<Value> = of("DEFINE_GLOBAL").iter().map(|p| p[2]["slot"].clone()).collect();
    slots.sort_by_key(Value::as_u64);
    assert_eq!(slots, [0, 1, 2]);
    assert_eq!(of("STORE").len(), 1);
    assert_eq!(graph.last().unwrap()[0], "SINK");
    for (position, node) in graph.iter().enumerate() {
        assert!(node[3].as_array().unwrap().iter().all(|s| (s.as_u64().unwrap() as usize) < position));
    }
}

#[test]
fn a_temp_is_written_before_it_is_read() {
    let mut program = Program::default();
    program.input("a", &[2, 3], &iota(6));
    program.node("b", "softmax", "f32", &[2, 3], &["a"], json!({"axis": 1}));
    let reply = program.answer(&["b"]);
    let mut written = 0;
    for kernel in kernels(&reply) {
        for buffer in kernel["buffers"].as_array().unwrap() {
            if buffer["kind"] == "temp" {
                let index = buffer["index"].as_u64().unwrap();
                assert!(index <= written);
                written = written.max(index + 1);
            }
        }
        // Slot 0 is what Morok's kernels write.
        assert_ne!(kernel["buffers"][0]["kind"], "input");
    }
    assert_eq!(kernels(&reply).last().unwrap()["buffers"][0]["kind"], "output");
    assert!(written > 0, "softmax needs the maximum of a row in a buffer");
}

#[test]
fn outputs_are_told_apart_by_position() {
    let mut program = Program::default();
    program.input("a", &[2], &I(vec![3, 4]));
    program.node("b", "neg", "i32", &[2], &["a"], json!({}));
    program.node("c", "add", "i32", &[2], &["b", "a"], json!({}));
    program.node("k", "full", "i32", &[2], &[], json!({"value": 9}));
    let reply = program.answer(&["c", "a", "b", "k", "b"]);
    let data: Vec<common::Data> = (0..5).map(|k| output(&reply, k).1).collect();
    assert_eq!(data, [I(vec![0, 0]), I(vec![3, 4]), I(vec![-3, -4]), I(vec![9, 9]), I(vec![-3, -4])]);
    let mut outputs: Vec<u64> = kernels(&reply)
        .iter()
        .flat_map(|kernel| kernel["buffers"].as_array().unwrap())
        .filter(|buffer| buffer["kind"] == "output")
        .map(|buffer| buffer["index"].as_u64().unwrap())
        .collect();
    outputs.sort_unstable();
    outputs.dedup();
    assert_eq!(outputs, [0, 2, 3]);
}

#[test]
fn outputs_that_are_buffers_need_no_kernel() {
    let mut program = Program::default();
    program.input("a", &[2, 3], &iota(6));
    program.node("b", "reshape", "f32", &[6], &["a"], json!({"shape": [6]}));
    let reply = program.answer(&["a", "b"]);
    assert!(kernels(&reply).is_empty());
    assert_eq!(output(&reply, 0), (vec![2, 3], iota(6)));
    assert_eq!(output(&reply, 1), (vec![6], iota(6)));
}

#[test]
fn without_values_nothing_is_compiled() {
    let mut request = matmul().request(&["c"]);
    request["values"] = json!(false);
    let reply = uopdiff_morok::protocol::answer(&request, false);
    assert_eq!(kernels(&reply).len(), 1);
    assert_eq!(reply["step"], "schedule");
    assert_eq!(reply["outputs"], json!([]));
    assert!(kernels(&reply)[0].get("source").is_none());
}

#[test]
fn the_kernels_are_those_of_the_structure() {
    let mut request = matmul().request(&["c"]);
    let mut structure = Program::default();
    structure.input("a", &[3, 4], &iota(12));
    structure.node("c", "neg", "f32", &[3, 4], &["a"], json!({}));
    request["structure"] = structure.request(&["c"])["program"].clone();
    let reply = uopdiff_morok::protocol::answer(&request, false);
    assert_eq!(kernels(&reply)[0]["buffers"].as_array().unwrap().len(), 2);
    assert_eq!(output(&reply, 0).0, [3, 2]);
}

#[test]
fn code_comes_when_asked_for() {
    let mut request = matmul().request(&["c"]);
    request["source"] = json!(true);
    request["values"] = json!(false);
    let reply = uopdiff_morok::protocol::answer(&request, false);
    let source = kernels(&reply)[0]["source"].as_str().unwrap();
    assert!(source.contains("void ") && source.contains("for ("), "{source}");
    assert_eq!(reply["outputs"], json!([]));
}

/// `abs` of a negative constant becomes `--3` in Morok's C.
#[test]
fn refused_code_comes_with_the_words_of_the_c_compiler() {
    let mut program = Program::default();
    program.node("k", "full", "i32", &[2], &[], json!({"value": -3}));
    program.node("a", "abs", "i32", &[2], &["k"], json!({}));
    program.input("b", &[3], &iota(3)).node("c", "neg", "f32", &[3], &["b"], json!({}));
    let reply = program.answer(&["c", "a"]);
    assert_eq!((&reply["status"], &reply["step"]), (&json!("compile-failed"), &json!("compile")));
    let message = reply["message"].as_str().unwrap();
    assert!(message.starts_with("<stdin>:") && message.contains("error: "), "{message}");
    assert!(!message.contains("Source:"), "{message}");
    let kernels = reply["kernels"].as_array().unwrap();
    let refused: Vec<&Value> = kernels.iter().filter(|kernel| kernel.get("source").is_some()).collect();
    assert_eq!(refused.len(), 1);
    assert!(refused[0]["source"].as_str().unwrap().contains("--3"), "{reply}");
    assert_eq!(refused[0]["buffers"], json!([{"kind": "output", "index": 1, "dtype": "i32", "size": 2}]));
}
