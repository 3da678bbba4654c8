//! Elementwise operations.

use morok_dtype::DType;
use morok_tensor::Tensor;

use super::{Result, Table, constant, number};
use crate::program::Node;

pub const TABLE: Table = &[
    ("neg", |_, x| Ok(x[0].try_neg()?)),
    ("abs", |_, x| Ok(x[0].try_abs()?)),
    ("sign", |_, x| Ok(x[0].sign()?)),
    ("square", |_, x| Ok(x[0].square()?)),
    ("bitwise_not", |_, x| Ok(x[0].bitwise_not()?)),
    // Tensor::logical_not compares with a realised buffer of one `true`; the IR has the operation itself.
    ("logical_not", |_, x| Ok(Tensor::from_lazy(x[0].uop().not()))),
    ("isnan", |_, x| Ok(x[0].isnan()?)),
    ("isinf", |_, x| Ok(x[0].isinf(true, true)?.cast(DType::Bool)?)), // made by subtracting bools
    ("sqrt", |_, x| Ok(x[0].try_sqrt()?)),
    ("rsqrt", |_, x| Ok(x[0].try_rsqrt()?)),
    ("reciprocal", |_, x| Ok(x[0].reciprocal()?)),
    ("exp", |_, x| Ok(x[0].try_exp()?)),
    ("exp2", |_, x| Ok(x[0].try_exp2()?)),
    ("log", |_, x| Ok(x[0].try_log()?)),
    ("log2", |_, x| Ok(x[0].try_log2()?)),
    ("sin", |_, x| Ok(x[0].sin()?)),
    ("cos", |_, x| Ok(x[0].cos()?)),
    ("tan", |_, x| Ok(x[0].tan()?)),
    ("asin", |_, x| Ok(x[0].asin()?)),
    ("acos", |_, x| Ok(x[0].acos()?)),
    ("atan", |_, x| Ok(x[0].atan()?)),
    ("sinh", |_, x| Ok(x[0].sinh()?)),
    ("cosh", |_, x| Ok(x[0].cosh()?)),
    ("tanh", |_, x| Ok(x[0].tanh()?)),
    ("asinh", |_, x| Ok(x[0].asinh()?)),
    ("acosh", |_, x| Ok(x[0].acosh()?)),
    ("atanh", |_, x| Ok(x[0].atanh()?)),
    ("trunc", |_, x| Ok(x[0].trunc()?)),
    ("floor", |_, x| Ok(x[0].floor()?)),
    ("ceil", |_, x| Ok(x[0].ceil()?)),
    ("round", |_, x| Ok(x[0].round()?)),
    ("clamp", |n, x| clamp(n, x[0])),
    ("relu", |_, x| Ok(x[0].relu()?)),
    ("relu6", |_, x| Ok(x[0].relu6()?)),
    ("sigmoid", |_, x| Ok(x[0].sigmoid()?)),
    ("erf", |_, x| Ok(x[0].erf()?)),
    ("gelu", |_, x| Ok(x[0].gelu()?)),
    ("silu", |_, x| Ok(x[0].silu()?)),
    ("softsign", |_, x| Ok(x[0].softsign()?)),
    ("hardswish", |_, x| Ok(x[0].hardswish()?)),
    ("mish", |_, x| Ok(x[0].mish()?)),
    ("softplus", |n, x| Ok(x[0].softplus(number(n, "beta")?)?)),
    ("hardsigmoid", |n, x| Ok(x[0].hard_sigmoid(number(n, "alpha")?, number(n, "beta")?)?)),
    ("leaky_relu", |n, x| Ok(x[0].leaky_relu(number(n, "slope")?)?)),
    ("elu", |n, x| Ok(x[0].elu(number(n, "alpha")?)?)),
    ("celu", |n, x| Ok(x[0].celu(number(n, "alpha")?)?)),
    ("add", |_, x| Ok(x[0].try_add(x[1])?)),
    ("sub", |_, x| Ok(x[0].try_sub(x[1])?)),
    ("mul", |_, x| Ok(x[0].try_mul(x[1])?)),
    ("div", |_, x| Ok(x[0].try_div(x[1])?)),
    ("pow", |_, x| Ok(x[0].try_pow(x[1])?)),
    ("floordiv", |_, x| floordiv(x[0], x[1])),
    ("truncdiv", |_, x| Ok(x[0].try_div(x[1])?)), // Idiv of the IR truncates (ir/src/types.rs, BinaryOp)
    ("floormod", |_, x| floormod(x[0], x[1])),
    ("truncmod", |_, x| Ok(x[0].try_mod(x[1])?)),
    ("maximum", |_, x| Ok(x[0].maximum(x[1])?)),
    ("minimum", |_, x| Ok(x[0].minimum(x[1])?)),
    ("and", |_, x| Ok(x[0].bitwise_and(x[1])?)),
    ("or", |_, x| Ok(x[0].bitwise_or(x[1])?)),
    ("xor", |_, x| Ok(x[0].bitwise_xor(x[1])?)),
    ("shl", |_, x| Ok(x[0].lshift(x[1])?)),
    ("shr", |_, x| Ok(x[0].rshift(x[1])?)),
    ("lt", |_, x| Ok(x[0].try_lt(x[1])?)),
    ("gt", |_, x| Ok(x[0].try_gt(x[1])?)),
    ("le", |_, x| Ok(x[0].try_le(x[1])?)),
    ("ge", |_, x| Ok(x[0].try_ge(x[1])?)),
    ("eq", |_, x| Ok(x[0].try_eq(x[1])?)),
    ("ne", |_, x| Ok(x[0].try_ne(x[1])?)),
    ("where", |_, x| Ok(x[1].where_(x[0], x[2])?)),
    ("lerp", |_, x| Ok(x[0].lerp(x[1], x[2])?)),
    ("cast", |n, x| Ok(x[0].cast(n.dtype.clone())?)),
    ("bitcast", |n, x| Ok(x[0].bitcast(n.dtype.clone())?)),
];

fn clamp(node: &Node, x: &Tensor) -> Result<Tensor> {
    let low = Tensor::full(&node.shape, constant(node, "min")?, node.dtype.clone())?;
    let high = Tensor::full(&node.shape, constant(node, "max")?, node.dtype.clone())?;
    Ok(x.clamp().min(&low).max(&high).call()?)
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
