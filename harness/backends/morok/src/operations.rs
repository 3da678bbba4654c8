//! Every operation of the table as the Morok calls that mean exactly the same.

use morok_dtype::DType;
use morok_ir::{ConstValue, SInt};
use morok_tensor::Tensor;
use serde_json::Value;

use crate::failure::Failure;
use crate::program::Node;

/// What the handshake announces.
pub const NAMES: &[&str] = &[
    "input",
    "full",
    "arange",
    "reshape",
    "permute",
    "expand",
    "pad",
    "shrink",
    "flip",
    "contiguous",
    "cat",
    "neg",
    "abs",
    "sqrt",
    "exp2",
    "log2",
    "sin",
    "exp",
    "log",
    "reciprocal",
    "relu",
    "logical_not",
    "add",
    "sub",
    "mul",
    "div",
    "floordiv",
    "truncdiv",
    "floormod",
    "truncmod",
    "maximum",
    "minimum",
    "and",
    "or",
    "xor",
    "shl",
    "shr",
    "lt",
    "eq",
    "ne",
    "where",
    "cast",
    "sum",
    "prod",
    "max",
    "min",
    "matmul",
    "mean",
    "softmax",
    "cumsum",
];

type Result<T> = std::result::Result<T, Failure>;

fn ints(node: &Node, key: &str) -> Result<Vec<isize>> {
    let list = node.attrs[key].as_array();
    let values = list.and_then(|list| list.iter().map(|v| v.as_i64().map(|v| v as isize)).collect());
    values
        .ok_or_else(|| Failure::protocol(format!("{}: attribute '{key}' is not a list of integers", node.op)))
}

fn pairs(node: &Node, key: &str) -> Result<Vec<(isize, isize)>> {
    let list = node.attrs[key].as_array();
    let pair = |v: &Value| Some((v.get(0)?.as_i64()? as isize, v.get(1)?.as_i64()? as isize));
    let values = list.and_then(|list| list.iter().map(pair).collect());
    values.ok_or_else(|| Failure::protocol(format!("{}: attribute '{key}' is not a list of pairs", node.op)))
}

fn int(node: &Node, key: &str) -> Result<i64> {
    node.attrs[key]
        .as_i64()
        .ok_or_else(|| Failure::protocol(format!("{}: attribute '{key}' is not an integer", node.op)))
}

fn constant(node: &Node) -> Result<ConstValue> {
    let value = &node.attrs["value"];
    let number = match value {
        Value::String(word) => match word.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Value::Bool(bit) => Some(f64::from(u8::from(*bit))),
        other => other.as_f64(),
    };
    let number = number.ok_or_else(|| Failure::protocol("full: attribute 'value' is not a number"))?;
    Ok(match node.dtype {
        ref d if *d == DType::Bool => ConstValue::Bool(number != 0.0),
        ref d if *d == DType::Int32 => ConstValue::Int(number as i64),
        _ => ConstValue::Float(number),
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

/// Where the truncating remainder has the other sign than the divisor, floor and truncation differ.
fn floor_correction(x: &Tensor, y: &Tensor) -> Result<(Tensor, Tensor)> {
    let remainder = x.try_mod(y)?;
    let zero = y.zero()?;
    let signs = remainder.try_lt(&zero)?.try_ne(&y.try_lt(&zero)?)?;
    let apart = remainder.try_ne(&zero)?.bitwise_and(&signs)?;
    Ok((remainder, apart))
}

fn floordiv(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let (_, apart) = floor_correction(x, y)?;
    let quotient = x.try_div(y)?;
    Ok(quotient.try_sub(&quotient.one()?)?.where_(&apart, &quotient)?)
}

fn floormod(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let (remainder, apart) = floor_correction(x, y)?;
    Ok(remainder.try_add(y)?.where_(&apart, &remainder)?)
}

fn movement(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let shape = || node.shape.iter().map(|&d| SInt::Const(d)).collect::<Vec<_>>();
    Ok(match node.op {
        "reshape" => x[0].try_reshape(shape())?,
        "expand" => x[0].try_expand(shape())?,
        "permute" => x[0].try_permute(&ints(node, "axes")?)?,
        "pad" => x[0].try_pad(&pairs(node, "padding")?)?,
        "shrink" => x[0].try_shrink(pairs(node, "bounds")?)?,
        "flip" => x[0].flip(&ints(node, "axes")?)?,
        "contiguous" => x[0].contiguous(),
        _ => Tensor::cat(x, int(node, "axis")? as isize)?,
    })
}

fn unary(op: &str, x: &Tensor) -> Result<Tensor> {
    Ok(match op {
        "neg" => x.try_neg()?,
        "abs" => x.try_abs()?,
        "sqrt" => x.try_sqrt()?,
        "exp2" => x.try_exp2()?,
        "log2" => x.try_log2()?,
        "sin" => x.sin()?,
        "exp" => x.try_exp()?,
        "log" => x.try_log()?,
        "reciprocal" => x.reciprocal()?,
        "relu" => x.relu()?,
        // Tensor::logical_not compares with a realised buffer of one `true`; the IR has the operation itself.
        _ => Tensor::from_lazy(x.uop().not()),
    })
}

fn binary(op: &str, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    Ok(match op {
        "add" => x.try_add(y)?,
        "sub" => x.try_sub(y)?,
        "mul" => x.try_mul(y)?,
        "div" | "truncdiv" => x.try_div(y)?, // Idiv of the IR truncates (ir/src/types.rs, BinaryOp)
        "truncmod" => x.try_mod(y)?,
        "floordiv" => floordiv(x, y)?,
        "floormod" => floormod(x, y)?,
        "maximum" => x.maximum(y)?,
        "minimum" => x.minimum(y)?,
        "and" => x.bitwise_and(y)?,
        "or" => x.bitwise_or(y)?,
        "xor" => x.bitwise_xor(y)?,
        "shl" => x.lshift(y)?,
        "shr" => x.rshift(y)?,
        "lt" => x.try_lt(y)?,
        "eq" => x.try_eq(y)?,
        _ => x.try_ne(y)?,
    })
}

fn reduce(node: &Node, x: &Tensor) -> Result<Tensor> {
    let axes = ints(node, "axes")?;
    let keepdim = node.attrs["keepdim"].as_bool().unwrap_or(false);
    Ok(match node.op {
        "sum" => x.sum_with().axes(axes).keepdim(keepdim).promote(false).call()?,
        "prod" => x.prod_with().axes(axes).keepdim(keepdim).promote(false).call()?,
        "max" => x.max_with().axes(axes).keepdim(keepdim).call()?,
        "min" => x.min_with().axes(axes).keepdim(keepdim).call()?,
        _ => x.mean_with().axes(axes).keepdim(keepdim).call()?,
    })
}

/// The tensor of one node that is not an input.
pub fn apply(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let arity = |n: usize| {
        if x.len() == n { Ok(()) } else { Err(Failure::protocol(format!("{} takes {n} operands", node.op))) }
    };
    match node.op {
        "full" => Ok(Tensor::full(&node.shape, constant(node)?, node.dtype.clone())?),
        "arange" => arange(node),
        "reshape" | "expand" | "permute" | "pad" | "shrink" | "flip" | "contiguous" => {
            arity(1)?;
            movement(node, x)
        }
        "cat" => movement(node, x),
        "neg" | "abs" | "sqrt" | "exp2" | "log2" | "sin" | "exp" | "log" | "reciprocal" | "relu"
        | "logical_not" => {
            arity(1)?;
            unary(node.op, x[0])
        }
        "add" | "sub" | "mul" | "div" | "floordiv" | "truncdiv" | "floormod" | "truncmod" | "maximum"
        | "minimum" | "and" | "or" | "xor" | "shl" | "shr" | "lt" | "eq" | "ne" => {
            arity(2)?;
            binary(node.op, x[0], x[1])
        }
        "where" => {
            arity(3)?;
            Ok(x[1].where_(x[0], x[2])?)
        }
        "cast" => {
            arity(1)?;
            Ok(x[0].cast(node.dtype.clone())?)
        }
        "sum" | "prod" | "max" | "min" | "mean" => {
            arity(1)?;
            reduce(node, x[0])
        }
        "matmul" => {
            arity(2)?;
            Ok(x[0].matmul(x[1])?)
        }
        "softmax" => {
            arity(1)?;
            Ok(x[0].softmax(int(node, "axis")? as isize)?)
        }
        "cumsum" => {
            arity(1)?;
            Ok(x[0].cumsum(int(node, "axis")? as isize)?)
        }
        other => Err(Failure::unsupported(format!("operation {other}"))),
    }
}
