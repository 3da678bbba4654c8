//! Products of matrices, windows, norms and losses.

use morok_tensor::Tensor;
use morok_tensor::nn::Reduction;

use super::{Result, Table, flag, ints, number, pairs, sizes, word};
use crate::failure::Failure;
use crate::program::Node;

pub const TABLE: Table = &[
    ("matmul", |n, x| keep_dtype(n, x[0].matmul(x[1])?)),
    ("linear", |n, x| linear(n, x)),
    ("dot", |n, x| keep_dtype(n, x[0].dot(x[1])?)),
    ("einsum", |n, x| keep_dtype(n, Tensor::einsum(&formula(n)?, x)?)),
    ("sdpa", |n, x| sdpa(n, x)),
    ("conv", |n, x| conv(n, x)),
    ("conv_transpose", |n, x| conv_transpose(n, x)),
    ("avg_pool", |n, x| avg_pool(n, x[0])),
    ("max_pool", |n, x| max_pool(n, x[0])),
    ("layernorm", |n, x| Ok(x[0].layernorm(-1, number(n, "eps")?)?)),
    // Its own call gives f32 for narrower dtypes.
    ("rms_norm", |n, x| Ok(x[0].rms_norm(-1, number(n, "eps")?)?.cast(n.dtype.clone())?)),
    ("batchnorm", |_, x| Ok(x[0].batchnorm().scale(x[1]).bias(x[2]).mean(x[3]).invstd(x[4]).call()?)),
    ("nll_loss", |n, x| Ok(x[0].nll_loss().target(x[1]).reduction(reduction(n)?).call()?)),
    // Morok has none of this name.
    ("cross_entropy", |n, x| {
        Ok(x[0].log_softmax(1)?.nll_loss().target(x[1]).reduction(reduction(n)?).call()?)
    }),
];

/// Products of small integers are summed in a wider dtype; modulo their width that is the same.
fn keep_dtype(node: &Node, x: Tensor) -> Result<Tensor> {
    Ok(x.cast(node.dtype.clone())?)
}

/// Its own call wants the weight as [out, in].
fn linear(_: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let weight = x[1].try_permute(&[1, 0])?;
    Ok(x[0].linear().weight(&weight).maybe_bias(x.get(2).copied()).call()?)
}

/// "ij_jk_ik" as "ij,jk->ik".
fn formula(node: &Node) -> Result<String> {
    let (inputs, result) = word(node, "formula")?
        .rsplit_once('_')
        .ok_or_else(|| Failure::protocol("einsum: the formula names no result"))?;
    Ok(format!("{}->{result}", inputs.replace('_', ",")))
}

fn sdpa(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    Ok(x[0]
        .scaled_dot_product_attention()
        .key(x[1])
        .value(x[2])
        .maybe_attn_mask(x.get(3).copied())
        .is_causal(flag(node, "causal")?)
        .call()?)
}

struct Walk {
    stride: Vec<usize>,
    dilation: Vec<usize>,
    padding: Vec<(isize, isize)>,
}

fn walk(node: &Node) -> Result<Walk> {
    Ok(Walk {
        stride: sizes(node, "stride")?,
        dilation: sizes(node, "dilation")?,
        padding: pairs(node, "padding")?,
    })
}

fn groups(node: &Node) -> Result<usize> {
    Ok(super::int(node, "groups")? as usize)
}

fn conv(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let walk = walk(node)?;
    Ok(x[0]
        .conv2d()
        .weight(x[1])
        .maybe_bias(x.get(2).copied())
        .groups(groups(node)?)
        .stride(&walk.stride)
        .dilation(&walk.dilation)
        .padding(&walk.padding)
        .call()?)
}

fn conv_transpose(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    let walk = walk(node)?;
    Ok(x[0]
        .conv_transpose2d()
        .weight(x[1])
        .maybe_bias(x.get(2).copied())
        .groups(groups(node)?)
        .stride(&walk.stride)
        .dilation(&walk.dilation)
        .padding(&walk.padding)
        .output_padding(&sizes(node, "output_padding")?)
        .call()?)
}

fn avg_pool(node: &Node, x: &Tensor) -> Result<Tensor> {
    let walk = walk(node)?;
    Ok(x.avg_pool2d()
        .kernel_size(&sizes(node, "kernel")?)
        .stride(&walk.stride)
        .dilation(&walk.dilation)
        .padding(&walk.padding)
        .count_include_pad(flag(node, "count_include_pad")?)
        .call()?)
}

fn max_pool(node: &Node, x: &Tensor) -> Result<Tensor> {
    let walk = walk(node)?;
    let kernel: Vec<usize> = ints(node, "kernel")?.into_iter().map(|k| k as usize).collect();
    Ok(x.max_pool2d()
        .kernel_size(&kernel)
        .stride(&walk.stride)
        .dilation(&walk.dilation)
        .padding(&walk.padding)
        .call()?)
}

fn reduction(node: &Node) -> Result<Reduction> {
    Ok(match word(node, "reduction")? {
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        "none" => Reduction::None,
        other => return Err(Failure::protocol(format!("{}: unknown reduction '{other}'", node.op))),
    })
}
