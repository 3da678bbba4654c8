//! Reduces, and what works along one axis.

use morok_dtype::DType;
use morok_tensor::Tensor;

use super::{Result, Table, axis, flag, int, ints, shape_of};
use crate::program::Node;

pub const TABLE: Table = &[
    ("sum", |n, x| Ok(x[0].sum_with().axes(ints(n, "axes")?).keepdim(keep(n)?).promote(false).call()?)),
    ("prod", |n, x| Ok(x[0].prod_with().axes(ints(n, "axes")?).keepdim(keep(n)?).promote(false).call()?)),
    ("max", |n, x| Ok(x[0].max_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("min", |n, x| Ok(x[0].min_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("any", |n, x| Ok(x[0].any_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("all", |n, x| Ok(x[0].all_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("mean", |n, x| Ok(x[0].mean_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("var", |n, x| Ok(x[0].var_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    ("std", |n, x| Ok(x[0].std_with().axes(ints(n, "axes")?).keepdim(keep(n)?).call()?)),
    // Its own call has no keepdim.
    ("logsumexp", |n, x| Ok(x[0].logsumexp(ints(n, "axes")?)?.try_reshape(shape_of(n))?)),
    ("argmax", |n, x| as_index(x[0].argmax_with().axis(Some(axis(n)?)).keepdim(keep(n)?).call()?)),
    ("argmin", |n, x| as_index(x[0].argmin_with().axis(Some(axis(n)?)).keepdim(keep(n)?).call()?)),
    ("softmax", |n, x| Ok(x[0].softmax(axis(n)?)?)),
    ("log_softmax", |n, x| Ok(x[0].log_softmax(axis(n)?)?)),
    // They accumulate small integers in a wider dtype; modulo their width that is the same.
    ("cumsum", |n, x| Ok(x[0].cumsum(axis(n)?)?.cast(n.dtype.clone())?)),
    ("cumprod", |n, x| Ok(x[0].cumprod(axis(n)?)?.cast(n.dtype.clone())?)),
    ("sort", |n, x| Ok(x[0].sort(axis(n)?, flag(n, "descending")?)?.0)),
    ("argsort", |n, x| as_index(x[0].sort(axis(n)?, flag(n, "descending")?)?.1)),
    ("topk", |n, x| Ok(x[0].topk(int(n, "k")? as usize, axis(n)?, flag(n, "largest")?)?.0)),
];

fn keep(node: &Node) -> Result<bool> {
    flag(node, "keepdim")
}

fn as_index(x: Tensor) -> Result<Tensor> {
    Ok(x.cast(DType::Int32)?)
}
