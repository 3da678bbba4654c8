//! Elements chosen by indices that are data.

use morok_dtype::DType;
use morok_tensor::indexing::ScatterReduction;

use super::{Result, Table, axis, flag, int, word};
use crate::failure::Failure;
use crate::program::Node;

pub const TABLE: Table = &[
    ("gather", |n, x| Ok(x[0].gather(axis(n)?, x[1])?)),
    ("index_select", |n, x| Ok(x[0].index_select(axis(n)?, x[1])?)),
    ("scatter", |n, x| Ok(x[0].scatter(axis(n)?, x[1], x[2])?)),
    // The sum of small integers comes wider.
    ("scatter_reduce", |n, x| {
        let include_self = flag(n, "include_self")?;
        Ok(x[0]
            .scatter_reduce(axis(n)?, x[1], x[2], scatter_reduction(n)?, include_self)?
            .cast(n.dtype.clone())?)
    }),
    ("one_hot", |n, x| {
        let hot = x[0].try_unsqueeze(-1)?.one_hot_along_dim(int(n, "classes")? as usize, -1)?;
        Ok(hot.cast(DType::Int32)?)
    }),
];

fn scatter_reduction(node: &Node) -> Result<ScatterReduction> {
    Ok(match word(node, "reduce")? {
        "sum" => ScatterReduction::Sum,
        "prod" => ScatterReduction::Prod,
        "amax" => ScatterReduction::Amax,
        "amin" => ScatterReduction::Amin,
        other => return Err(Failure::protocol(format!("scatter_reduce: unknown reduce '{other}'"))),
    })
}
