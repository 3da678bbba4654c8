//! The program of a request, as tensors of Morok.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use morok_dtype::DType;
use morok_tensor::{PrepareConfig, Tensor};
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
    /// How to execute what is to be executed in the middle of the program; None when nothing is run.
    pub config: Option<&'a PrepareConfig>,
}

/// The tensors of a program: its inputs by name and its outputs in order.
pub struct Built {
    pub inputs: Vec<(String, Tensor)>,
    pub outputs: Vec<Tensor>,
    /// Of the outputs, as the request has them: those of the tensors are symbolic behind a `bind_shrink`.
    pub shapes: Vec<Vec<usize>>,
}

/// Those that the operation table gives a meaning to.
pub const DTYPES: &[(&str, DType)] = &[
    ("bool", DType::Bool),
    ("u8", DType::UInt8),
    ("i8", DType::Int8),
    ("u16", DType::UInt16),
    ("i16", DType::Int16),
    ("u32", DType::UInt32),
    ("i32", DType::Int32),
    ("u64", DType::UInt64),
    ("i64", DType::Int64),
    ("f16", DType::Float16),
    ("bf16", DType::BFloat16),
    ("f32", DType::Float32),
    ("f64", DType::Float64),
];

fn dtype_from_name(name: &str) -> Option<DType> {
    DTYPES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| dtype.clone())
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Failure> {
    value[key].as_str().ok_or_else(|| Failure::protocol(format!("a node lacks the text '{key}'")))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, Failure> {
    value[key].as_array().ok_or_else(|| Failure::protocol(format!("a node lacks the list '{key}'")))
}

fn parse_node<'a>(value: &'a Value, config: Option<&'a PrepareConfig>) -> Result<Node<'a>, Failure> {
    let dtype = text(value, "dtype")?;
    let shape: Option<Vec<usize>> =
        list(value, "shape")?.iter().map(|v| Some(v.as_u64()? as usize)).collect();
    let src: Option<Vec<&str>> = list(value, "src")?.iter().map(Value::as_str).collect();
    Ok(Node {
        name: text(value, "name")?,
        op: text(value, "op")?,
        dtype: dtype_from_name(dtype).ok_or_else(|| Failure::unsupported(format!("dtype {dtype}")))?,
        shape: shape.ok_or_else(|| Failure::protocol("the shape of a node has a strange extent"))?,
        src: src.ok_or_else(|| Failure::protocol("a node has a source that is no name"))?,
        attrs: &value["attrs"],
        config,
    })
}

/// A realised buffer with the data of the request.
fn input(node: &Node, inputs: &Value) -> Result<Tensor, Failure> {
    let problem = |text: String| Failure::protocol(format!("data of input '{}': {text}", node.name));
    let data = inputs[node.name].as_str().ok_or_else(|| problem("not in the request".into()))?;
    let bytes = STANDARD.decode(data).map_err(|error| problem(error.to_string()))?;
    let wanted = node.shape.iter().product::<usize>() * node.dtype.bytes();
    if bytes.len() != wanted {
        return Err(problem(format!("{} bytes, not {wanted}", bytes.len())));
    }
    if bytes.is_empty() {
        return Ok(Tensor::empty(&node.shape, node.dtype.clone()));
    }
    Ok(Tensor::from_raw_bytes(&bytes, &node.shape, node.dtype.clone())?)
}

/// Front-end calls for every node; `inputs` has the data by name, `config` is for what is executed on the way.
pub fn build(program: &Value, inputs: &Value, config: Option<&PrepareConfig>) -> Result<Built, Failure> {
    let mut tensors: HashMap<&str, (Tensor, Vec<usize>)> = HashMap::new();
    let mut built = Built { inputs: Vec::new(), outputs: Vec::new(), shapes: Vec::new() };
    for value in list(program, "nodes")? {
        let node = parse_node(value, config)?;
        let tensor = if node.op == "input" {
            let tensor = input(&node, inputs)?;
            built.inputs.push((node.name.to_string(), tensor.clone()));
            tensor
        } else {
            let operand = |name| tensors.get(name).map(|(tensor, _)| tensor);
            let operands: Option<Vec<&Tensor>> = node.src.iter().map(operand).collect();
            let undefined = || Failure::protocol(format!("node '{}' uses an undefined name", node.name));
            operations::apply(&node, &operands.ok_or_else(undefined)?)?
        };
        tensors.insert(node.name, (tensor, node.shape));
    }
    for output in list(program, "outputs")? {
        let name = output.as_str().unwrap_or("");
        let undefined = || Failure::protocol(format!("output '{name}' is not defined"));
        let (tensor, shape) = tensors.get(name).ok_or_else(undefined)?;
        built.outputs.push(tensor.clone());
        built.shapes.push(shape.clone());
    }
    if built.outputs.is_empty() {
        return Err(Failure::protocol("the program has no output"));
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Status;
    use serde_json::json;

    fn built(node: Value, data: &str) -> Result<Built, Failure> {
        build(&json!({"nodes": [node], "outputs": ["a"]}), &json!({"a": data}), None)
    }
    fn failure(node: Value, data: &str) -> (Status, String) {
        let failure = built(node, data).err().expect("this is no program");
        (failure.status, failure.message)
    }
    fn node(dtype: &str, shape: Value) -> Value {
        json!({"name": "a", "op": "input", "dtype": dtype, "shape": shape, "src": [], "attrs": {}})
    }

    #[test]
    fn an_input_has_the_bytes_of_the_request() {
        let built = built(node("i32", json!([2, 1])), "AQAAAP////8=").unwrap();
        let tensor = &built.outputs[0];
        assert_eq!(tensor.as_vec::<i32>().unwrap(), [1, -1]);
        assert_eq!(tensor.shape().unwrap().len(), 2);
        assert_eq!(built.inputs[0].0, "a");
    }

    #[test]
    fn what_is_no_program_is_told_apart_from_what_morok_refuses() {
        let protocol = |text: &str| (Status::ProtocolError, text.to_string());
        assert_eq!(
            failure(node("i32", json!([3])), "AQAAAA=="),
            protocol("data of input 'a': 4 bytes, not 12")
        );
        assert_eq!(failure(node("f8", json!([1])), ""), (Status::Unsupported, "dtype f8".into()));
        assert_eq!(
            failure(node("i32", json!([-1])), ""),
            protocol("the shape of a node has a strange extent")
        );
        assert!(failure(node("i32", json!([1])), "!").1.starts_with("data of input 'a': Invalid symbol"));
        let unknown = json!({"name": "a", "op": "frob", "dtype": "i32", "shape": [], "src": []});
        assert_eq!(failure(unknown, ""), (Status::Unsupported, "operation frob".into()));
        let dangling = json!({"name": "a", "op": "neg", "dtype": "i32", "shape": [], "src": ["z"]});
        assert_eq!(failure(dangling, ""), protocol("node 'a' uses an undefined name"));
        assert_eq!(failure(json!({"op": "neg"}), ""), protocol("a node lacks the text 'dtype'"));
    }
}
