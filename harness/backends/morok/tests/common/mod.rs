//! Programs for tests: `input name dtype[shape]`, one operation a node, replies of the worker itself.

#![allow(dead_code)] // every test uses a part of it

pub mod rows;
pub mod values;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Makes the compiler of Debian, `clang-19`, the `clang` on PATH, as the harness does for its workers.
pub fn clang_on_path() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let path = std::env::var("PATH").unwrap_or_default();
        let wanted =
            path.split(':').map(|p| format!("{p}/clang-19")).find(|p| std::path::Path::new(p).exists());
        let Some(clang) = wanted else { return };
        let directory = concat!(env!("CARGO_TARGET_TMPDIR"), "/clang");
        std::fs::create_dir_all(directory).unwrap();
        let _ = std::os::unix::fs::symlink(clang, format!("{directory}/clang")); // there from another test
        // SAFETY: every test of these programs comes through here before it reads the environment.
        unsafe { std::env::set_var("PATH", format!("{directory}:{path}")) };
    });
}

#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    B(Vec<bool>),
    I(Vec<i32>),
    F(Vec<f32>),
}
pub use Data::{B, F, I};

impl Data {
    pub fn dtype(&self) -> &'static str {
        match self {
            B(_) => "bool",
            I(_) => "i32",
            F(_) => "f32",
        }
    }
    fn bytes(&self) -> Vec<u8> {
        match self {
            B(v) => v.iter().map(|&b| u8::from(b)).collect(),
            I(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            F(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }
    fn from_bytes(dtype: &str, bytes: &[u8]) -> Self {
        let words = || bytes.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]);
        match dtype {
            "bool" => B(bytes.iter().map(|&b| b != 0).collect()),
            "i32" => I(words().map(i32::from_le_bytes).collect()),
            _ => F(words().map(f32::from_le_bytes).collect()),
        }
    }
}

/// A request under construction.
#[derive(Default)]
pub struct Program {
    nodes: Vec<Value>,
    inputs: serde_json::Map<String, Value>,
}

impl Program {
    pub fn input(&mut self, name: &str, shape: &[usize], data: &Data) -> &mut Self {
        self.input_of(name, data.dtype(), shape, &data.bytes())
    }
    pub fn input_of(&mut self, name: &str, dtype: &str, shape: &[usize], bytes: &[u8]) -> &mut Self {
        self.inputs.insert(name.into(), json!(STANDARD.encode(bytes)));
        self.node(name, "input", dtype, shape, &[], json!({"fill": "iota", "seed": 0}))
    }
    pub fn node(
        &mut self,
        name: &str,
        op: &str,
        dtype: &str,
        shape: &[usize],
        src: &[&str],
        attrs: Value,
    ) -> &mut Self {
        let node =
            json!({"name": name, "op": op, "dtype": dtype, "shape": shape, "src": src, "attrs": attrs});
        self.nodes.push(node);
        self
    }
    pub fn request(&self, outputs: &[&str]) -> Value {
        clang_on_path();
        let program = json!({"nodes": self.nodes, "outputs": outputs});
        json!({"id": 1, "program": program, "inputs": self.inputs, "values": true, "source": false})
    }
    pub fn answer(&self, outputs: &[&str]) -> Value {
        uopdiff_morok::failure::install_hook();
        clang_on_path(); // first: the functions of bf16 are compiled
        uopdiff_morok::bf16::provide();
        uopdiff_morok::protocol::answer(&self.request(outputs), false)
    }
}

/// Shape and data of output `k` of a reply that has to be in order.
pub fn output(reply: &Value, k: usize) -> (Vec<usize>, Data) {
    assert_eq!(reply["status"], "ok", "{}: {}", reply["step"], reply["message"]);
    let output = &reply["outputs"][k];
    let bytes = STANDARD.decode(output["data"].as_str().unwrap()).unwrap();
    let shape = output["shape"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
    (shape, Data::from_bytes(output["dtype"].as_str().unwrap(), &bytes))
}
