//! Every operation once against a hand-computed value, through the worker's own request and reply.
//! Needs a `clang` on PATH; where only clang-19 is, the harness's link is made here.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use uopdiff_morok::{operations, protocol};

fn clang_on_path() {
    let directory = std::env::temp_dir().join(format!("uopdiff-operations-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let found = path.split(':').map(|p| format!("{p}/clang-19")).find(|p| std::path::Path::new(p).exists());
    if let Some(clang) = found {
        let _ = std::os::unix::fs::symlink(clang, directory.join("clang"));
        // SAFETY: called once, before any thread of this test reads the environment.
        unsafe { std::env::set_var("PATH", format!("{}:{path}", directory.display())) };
    }
}

fn pack(dtype: &str, values: &[f64]) -> String {
    let bytes: Vec<u8> = match dtype {
        "f32" => values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect(),
        "i32" => values.iter().flat_map(|v| (*v as i32).to_le_bytes()).collect(),
        _ => values.iter().map(|v| u8::from(*v != 0.0)).collect(),
    };
    STANDARD.encode(bytes)
}

fn unpack(output: &Value) -> Vec<f64> {
    let bytes = STANDARD.decode(output["data"].as_str().unwrap()).unwrap();
    match output["dtype"].as_str().unwrap() {
        "f32" => bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
        "i32" => bytes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
        _ => bytes.iter().map(|b| f64::from(*b)).collect(),
    }
}

type Operand<'a> = (&'a str, [f64; 4]);

/// Applies `op` to inputs of shape [2,2].
fn apply(op: &str, operands: &[Operand], dtype: &str, shape: Value, attrs: Value) -> Vec<f64> {
    let mut nodes = Vec::new();
    let mut inputs = json!({});
    for (k, (operand_dtype, values)) in operands.iter().enumerate() {
        let name = format!("x{k}");
        let attrs = json!({"fill": "small", "seed": 0});
        nodes.push(json!({"name": name, "op": "input", "dtype": operand_dtype, "shape": [2, 2], "src": [], "attrs": attrs}));
        inputs[&name] = json!(pack(operand_dtype, values));
    }
    let src: Vec<String> = (0..operands.len()).map(|k| format!("x{k}")).collect();
    nodes.push(json!({"name": "r", "op": op, "dtype": dtype, "shape": shape, "src": src, "attrs": attrs}));
    let program = json!({"nodes": nodes, "outputs": ["r"]});
    let reply = protocol::answer(&json!({"id": 1, "program": program, "inputs": inputs, "values": true}));
    assert_eq!(reply["status"], "ok", "{op}: {}", reply["message"]);
    assert_eq!(reply["outputs"][0]["dtype"], dtype, "{op}");
    assert_eq!(reply["outputs"][0]["shape"], shape, "{op}");
    unpack(&reply["outputs"][0])
}

const F: Operand = ("f32", [1.0, -2.0, 3.0, 4.0]);
const G: Operand = ("f32", [2.0, 2.0, -4.0, 0.5]);
const I: Operand = ("i32", [7.0, -7.0, 8.0, -8.0]);
const J: Operand = ("i32", [3.0, 3.0, -3.0, -3.0]);
const B: Operand = ("bool", [1.0, 0.0, 1.0, 0.0]);
const C: Operand = ("bool", [1.0, 1.0, 0.0, 0.0]);

#[test]
fn every_operation_means_what_the_table_says() {
    clang_on_path();
    let square = || json!([2, 2]);
    let none = || json!({});
    let axes = |axes: &[i64], keepdim: bool| json!({"axes": axes, "keepdim": keepdim});
    #[rustfmt::skip]
    let cases: Vec<(&str, Vec<Operand>, &str, Value, Value, Vec<f64>)> = vec![
        ("full", vec![], "i32", json!([2]), json!({"value": 7}), vec![7.0, 7.0]),
        ("arange", vec![], "f32", json!([3]), json!({"start": 5, "step": -2}), vec![5.0, 3.0, 1.0]),
        ("reshape", vec![F], "f32", json!([4]), none(), vec![1.0, -2.0, 3.0, 4.0]),
        ("permute", vec![F], "f32", square(), json!({"axes": [1, 0]}), vec![1.0, 3.0, -2.0, 4.0]),
        ("pad", vec![F], "f32", json!([3, 2]), json!({"padding": [[1, 0], [0, 0]]}), vec![0.0, 0.0, 1.0, -2.0, 3.0, 4.0]),
        ("shrink", vec![F], "f32", json!([1, 2]), json!({"bounds": [[1, 2], [0, 2]]}), vec![3.0, 4.0]),
        ("flip", vec![F], "f32", square(), json!({"axes": [1]}), vec![-2.0, 1.0, 4.0, 3.0]),
        ("contiguous", vec![F], "f32", square(), none(), vec![1.0, -2.0, 3.0, 4.0]),
        ("cat", vec![F, G], "f32", json!([2, 4]), json!({"axis": 1}), vec![1.0, -2.0, 2.0, 2.0, 3.0, 4.0, -4.0, 0.5]),
        ("neg", vec![I], "i32", square(), none(), vec![-7.0, 7.0, -8.0, 8.0]),
        ("abs", vec![I], "i32", square(), none(), vec![7.0, 7.0, 8.0, 8.0]),
        ("sqrt", vec![("f32", [1.0, 4.0, 9.0, 16.0])], "f32", square(), none(), vec![1.0, 2.0, 3.0, 4.0]),
        ("exp2", vec![F], "f32", square(), none(), vec![2.0, 0.25, 8.0, 16.0]),
        ("log2", vec![("f32", [1.0, 2.0, 4.0, 8.0])], "f32", square(), none(), vec![0.0, 1.0, 2.0, 3.0]),
        ("sin", vec![("f32", [0.0; 4])], "f32", square(), none(), vec![0.0; 4]),
        ("exp", vec![("f32", [0.0, 1.0, 0.0, 1.0])], "f32", square(), none(), vec![1.0, 2.7182818, 1.0, 2.7182818]),
        ("log", vec![("f32", [1.0, 1.0, 1.0, 2.7182818])], "f32", square(), none(), vec![0.0, 0.0, 0.0, 1.0]),
        ("reciprocal", vec![G], "f32", square(), none(), vec![0.5, 0.5, -0.25, 2.0]),
        ("relu", vec![F], "f32", square(), none(), vec![1.0, 0.0, 3.0, 4.0]),
        ("logical_not", vec![B], "bool", square(), none(), vec![0.0, 1.0, 0.0, 1.0]),
        ("add", vec![F, G], "f32", square(), none(), vec![3.0, 0.0, -1.0, 4.5]),
        ("sub", vec![F, G], "f32", square(), none(), vec![-1.0, -4.0, 7.0, 3.5]),
        ("mul", vec![I, J], "i32", square(), none(), vec![21.0, -21.0, -24.0, 24.0]),
        ("div", vec![F, G], "f32", square(), none(), vec![0.5, -1.0, -0.75, 8.0]),
        ("floordiv", vec![I, J], "i32", square(), none(), vec![2.0, -3.0, -3.0, 2.0]),
        ("truncdiv", vec![I, J], "i32", square(), none(), vec![2.0, -2.0, -2.0, 2.0]),
        ("floormod", vec![I, J], "i32", square(), none(), vec![1.0, 2.0, -1.0, -2.0]),
        ("truncmod", vec![I, J], "i32", square(), none(), vec![1.0, -1.0, 2.0, -2.0]),
        ("maximum", vec![I, J], "i32", square(), none(), vec![7.0, 3.0, 8.0, -3.0]),
        ("minimum", vec![I, J], "i32", square(), none(), vec![3.0, -7.0, -3.0, -8.0]),
        ("and", vec![B, C], "bool", square(), none(), vec![1.0, 0.0, 0.0, 0.0]),
        ("or", vec![B, C], "bool", square(), none(), vec![1.0, 1.0, 1.0, 0.0]),
        ("xor", vec![I, J], "i32", square(), none(), vec![4.0, -6.0, -11.0, 5.0]),
        ("shl", vec![I, ("i32", [1.0, 2.0, 3.0, 31.0])], "i32", square(), none(), vec![14.0, -28.0, 64.0, 0.0]),
        ("shr", vec![I, ("i32", [1.0, 1.0, 3.0, 31.0])], "i32", square(), none(), vec![3.0, -4.0, 1.0, -1.0]),
        ("lt", vec![I, J], "bool", square(), none(), vec![0.0, 1.0, 0.0, 1.0]),
        ("eq", vec![B, C], "bool", square(), none(), vec![1.0, 0.0, 0.0, 1.0]),
        ("ne", vec![I, I], "bool", square(), none(), vec![0.0; 4]),
        ("where", vec![B, I, J], "i32", square(), none(), vec![7.0, 3.0, 8.0, -3.0]),
        ("cast", vec![("f32", [1.9, -1.9, 0.0, 2.0])], "i32", square(), json!({"to": "i32"}), vec![1.0, -1.0, 0.0, 2.0]),
        ("sum", vec![I], "i32", json!([2]), axes(&[0], false), vec![15.0, -15.0]),
        ("prod", vec![I], "i32", json!([1, 1]), axes(&[0, 1], true), vec![3136.0]),
        ("max", vec![F], "f32", json!([2]), axes(&[1], false), vec![1.0, 4.0]),
        ("min", vec![I], "i32", json!([2, 1]), axes(&[1], true), vec![-7.0, -8.0]),
        ("matmul", vec![I, J], "i32", square(), none(), vec![42.0, 42.0, 48.0, 48.0]),
        ("mean", vec![F], "f32", json!([]), axes(&[0, 1], false), vec![1.5]),
        ("softmax", vec![("f32", [3.0, 3.0, 1.0, 1.0])], "f32", square(), json!({"axis": 1}), vec![0.5; 4]),
        ("cumsum", vec![I], "i32", square(), json!({"axis": 1}), vec![7.0, 0.0, 8.0, 0.0]),
    ];
    for (op, operands, dtype, shape, attrs, expected) in &cases {
        let got = apply(op, operands, dtype, shape.clone(), attrs.clone());
        let near = got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1e-3));
        assert!(got.len() == expected.len() && near, "{op}: {got:?} instead of {expected:?}");
    }
    let tested: std::collections::HashSet<&str> = cases.iter().map(|case| case.0).collect();
    let missing: Vec<_> = operations::NAMES.iter().filter(|n| !tested.contains(*n)).collect();
    assert_eq!(missing, [&"input", &"expand"], "operations without a case");
}

#[test]
fn rubbish_is_answered() {
    for line in ["rubbish", "[]", "{}", "{\"program\":3}"] {
        assert_eq!(protocol::answer_line(line)["status"], "protocol-error", "{line}");
    }
    let reply = protocol::answer_line(r#"{"id":3,"program":{"nodes":[],"outputs":[]},"inputs":{}}"#);
    assert_eq!((reply["id"].as_i64(), reply["status"].as_str()), (Some(3), Some("protocol-error")));
}

#[test]
fn an_unknown_operation_is_unsupported() {
    let nodes = json!([{"name": "a", "op": "fancy", "dtype": "f32", "shape": [1], "src": [], "attrs": {}}]);
    let request = json!({"id": 1, "program": {"nodes": nodes, "outputs": ["a"]}, "inputs": {}});
    let reply = protocol::answer(&request);
    assert_eq!(
        (reply["status"].as_str(), reply["message"].as_str()),
        (Some("unsupported"), Some("operation fancy"))
    );
}
