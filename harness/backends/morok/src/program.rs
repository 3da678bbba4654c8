//! The program of a request, as tensors of Morok.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use morok_dtype::DType;
use morok_tensor::Tensor;
use serde_json::Value;

use crate::failure::Failure;
use crate::operations;

/// One node of a program, straight from the request.
pub struct Node<'a> {
    pub name: &'a str,
    pub op: &'a str,
    pub dtype: DType,
    pub shape: Vec<usize>,
    pub src: Vec<&'a str>,
    pub attrs: &'a Value,
}

/// The tensors of a program: its inputs by name and its outputs in order.
pub struct Built {
    pub inputs: Vec<(String, Tensor)>,
    pub outputs: Vec<Tensor>,
}

pub fn dtype_from_name(name: &str) -> Option<DType> {
    match name {
        "bool" => Some(DType::Bool),
        "i32" => Some(DType::Int32),
        "f32" => Some(DType::Float32),
        _ => None,
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Failure> {
    value[key].as_str().ok_or_else(|| Failure::protocol(format!("a node lacks the text '{key}'")))
}

fn parse_node(value: &Value) -> Result<Node<'_>, Failure> {
    let dtype = text(value, "dtype")?;
    let list = |key: &str| {
        value[key].as_array().ok_or_else(|| Failure::protocol(format!("a node lacks the list '{key}'")))
    };
    Ok(Node {
        name: text(value, "name")?,
        op: text(value, "op")?,
        dtype: dtype_from_name(dtype).ok_or_else(|| Failure::unsupported(format!("dtype {dtype}")))?,
        shape: list("shape")?.iter().map(|v| v.as_u64().unwrap_or(0) as usize).collect(),
        src: list("src")?.iter().map(|v| v.as_str().unwrap_or("")).collect(),
        attrs: &value["attrs"],
    })
}

/// Front-end calls for every node; `inputs` has the data by name.
pub fn build(program: &Value, inputs: &Value) -> Result<Built, Failure> {
    let mut tensors: HashMap<&str, Tensor> = HashMap::new();
    let mut built = Built { inputs: Vec::new(), outputs: Vec::new() };
    let nodes = program["nodes"].as_array().ok_or_else(|| Failure::protocol("the program has no nodes"))?;
    for value in nodes {
        let node = parse_node(value)?;
        let tensor = if node.op == "input" {
            let data = inputs[node.name]
                .as_str()
                .ok_or_else(|| Failure::protocol(format!("no data for input '{}'", node.name)))?;
            let bytes = STANDARD
                .decode(data)
                .map_err(|e| Failure::protocol(format!("data of input '{}': {e}", node.name)))?;
            let tensor = Tensor::from_raw_bytes(&bytes, &node.shape, node.dtype.clone())?;
            built.inputs.push((node.name.to_string(), tensor.clone()));
            tensor
        } else {
            let operands =
                node.src.iter().map(|name| tensors.get(name)).collect::<Option<Vec<&Tensor>>>().ok_or_else(
                    || Failure::protocol(format!("node '{}' uses an undefined name", node.name)),
                )?;
            operations::apply(&node, &operands)?
        };
        tensors.insert(node.name, tensor);
    }
    for name in program["outputs"].as_array().into_iter().flatten() {
        let tensor = name.as_str().and_then(|name| tensors.get(name));
        built.outputs.push(tensor.ok_or_else(|| Failure::protocol("an output is not defined"))?.clone());
    }
    if built.outputs.is_empty() {
        return Err(Failure::protocol("the program has no output"));
    }
    Ok(built)
}
