//! Every operation of the table as the Morok calls that mean exactly the same: one line of one of the tables below.

mod elementwise;
mod indexing;
mod movement;
mod products;
mod reduce;

use morok_dtype::DType;
use morok_ir::ConstValue;
use morok_tensor::Tensor;
use serde_json::Value;

use crate::failure::Failure;
use crate::program::Node;

type Result<T> = std::result::Result<T, Failure>;

/// Makes the tensor of a node that is not an input from those of its operands.
type Apply = fn(&Node, &[&Tensor]) -> Result<Tensor>;
type Table = &'static [(&'static str, Apply)];

const SOURCES: Table = &[
    ("full", |n, _| Ok(Tensor::full(&n.shape, constant(n, "value")?, n.dtype.clone())?)),
    ("arange", |n, _| arange(n)),
    ("linspace", |n, _| {
        Ok(Tensor::linspace(number(n, "start")?, number(n, "stop")?, n.shape[0], n.dtype.clone())?)
    }),
    ("eye", |n, _| Ok(Tensor::eye(n.shape[0], n.shape[1], n.dtype.clone())?)),
];

const TABLES: [Table; 6] =
    [SOURCES, movement::TABLE, elementwise::TABLE, reduce::TABLE, products::TABLE, indexing::TABLE];

/// What the handshake announces.
pub fn names() -> Vec<&'static str> {
    let made = TABLES.iter().flat_map(|table| table.iter().map(|(name, _)| *name));
    std::iter::once("input").chain(made).collect()
}

/// The tensor of one node that is not an input. The harness sends only what its table allows, so operands are there.
pub fn apply(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let entry = TABLES.iter().flat_map(|table| table.iter()).find(|(name, _)| *name == node.op);
    let (_, apply) = entry.ok_or_else(|| Failure::unsupported(format!("operation {}", node.op)))?;
    if x.is_empty() && !SOURCES.iter().any(|(name, _)| *name == node.op) {
        return Err(Failure::protocol(format!("{} has no operands", node.op)));
    }
    apply(node, x)
}

fn wrong(node: &Node, key: &str, wanted: &str) -> Failure {
    Failure::protocol(format!("{}: attribute '{key}' is not {wanted}", node.op))
}

fn ints(node: &Node, key: &str) -> Result<Vec<isize>> {
    let list = node.attrs[key].as_array();
    let values = list.and_then(|list| list.iter().map(|v| v.as_i64().map(|v| v as isize)).collect());
    values.ok_or_else(|| wrong(node, key, "a list of integers"))
}

fn sizes(node: &Node, key: &str) -> Result<Vec<usize>> {
    Ok(ints(node, key)?.into_iter().map(|v| v as usize).collect())
}

fn pairs(node: &Node, key: &str) -> Result<Vec<(isize, isize)>> {
    let list = node.attrs[key].as_array();
    let pair = |v: &Value| Some((v.get(0)?.as_i64()? as isize, v.get(1)?.as_i64()? as isize));
    let values = list.and_then(|list| list.iter().map(pair).collect());
    values.ok_or_else(|| wrong(node, key, "a list of pairs"))
}

fn int(node: &Node, key: &str) -> Result<i64> {
    node.attrs[key].as_i64().ok_or_else(|| wrong(node, key, "an integer"))
}

fn axis(node: &Node) -> Result<isize> {
    Ok(int(node, "axis")? as isize)
}

fn flag(node: &Node, key: &str) -> Result<bool> {
    node.attrs[key].as_bool().ok_or_else(|| wrong(node, key, "a boolean"))
}

fn word<'a>(node: &'a Node, key: &str) -> Result<&'a str> {
    node.attrs[key].as_str().ok_or_else(|| wrong(node, key, "a word"))
}

fn number(node: &Node, key: &str) -> Result<f64> {
    let value = match &node.attrs[key] {
        Value::String(word) => match word.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Value::Bool(bit) => Some(f64::from(u8::from(*bit))),
        other => other.as_f64(),
    };
    value.ok_or_else(|| wrong(node, key, "a number"))
}

/// A number as a constant of the node's dtype.
fn constant(node: &Node, key: &str) -> Result<ConstValue> {
    let value = number(node, key)?;
    Ok(if node.dtype == DType::Bool {
        ConstValue::Bool(value != 0.0)
    } else if node.dtype.is_float() {
        ConstValue::Float(value)
    } else if node.dtype.is_unsigned() {
        ConstValue::UInt(value as u64)
    } else {
        ConstValue::Int(value as i64)
    })
}

fn arange(node: &Node) -> Result<Tensor> {
    let (start, step, count) = (int(node, "start")?, int(node, "step")?, node.shape[0] as i64);
    let stop = start + step * count;
    Ok(if node.dtype.is_float() {
        Tensor::arange_f64(start as f64, stop as f64, step as f64, node.dtype.clone())?
    } else {
        Tensor::arange_with_dtype(start, Some(stop), Some(step), node.dtype.clone())?
    })
}

/// The shape of a node for calls that take signed extents.
fn shape_of(node: &Node) -> Vec<isize> {
    node.shape.iter().map(|&extent| extent as isize).collect()
}
