//! What goes where, and the boundaries of execution.

use morok_ir::SInt;
use morok_tensor::{Tensor, Variable};

use super::{Result, Table, axis, int, ints, number, pairs, shape_of};
use crate::failure::Failure;
use crate::program::Node;

pub const TABLE: Table = &[
    ("reshape", |n, x| reshape(n, x[0])),
    ("expand", |n, x| Ok(x[0].try_expand(shape_of(n))?)),
    ("permute", |n, x| Ok(x[0].try_permute(&ints(n, "axes")?)?)),
    ("pad", |n, x| Ok(x[0].try_pad(&pairs(n, "padding")?)?)),
    ("shrink", |n, x| Ok(x[0].try_shrink(pairs(n, "bounds")?)?)),
    ("flip", |n, x| Ok(x[0].flip(&ints(n, "axes")?)?)),
    ("contiguous", |_, x| Ok(x[0].contiguous())),
    ("cat", |n, x| Ok(Tensor::cat(x, axis(n)?)?)),
    ("pad_value", |n, x| Ok(x[0].try_pad_value(&pairs(n, "padding")?, number(n, "value")?)?)),
    ("slice", |n, x| slice(n, x[0])),
    ("stack", |n, x| Ok(Tensor::stack(x, axis(n)?)?)),
    ("repeat", |n, x| {
        Ok(x[0]
            .repeat(&ints(n, "repeats")?.into_iter().map(|v| SInt::Const(v as usize)).collect::<Vec<_>>())?)
    }),
    ("squeeze", |n, x| Ok(x[0].try_squeeze(Some(axis(n)?))?)),
    ("unsqueeze", |n, x| Ok(x[0].try_unsqueeze(axis(n)?)?)),
    ("flatten", |n, x| reshape(n, x[0])), // Tensor::flatten takes all axes
    ("tril", |n, x| Ok(x[0].tril(int(n, "diagonal")?)?)),
    ("triu", |n, x| Ok(x[0].triu(int(n, "diagonal")?)?)),
    ("detach", |_, x| Ok(x[0].clone())), // there are no gradients
    ("realize", |n, x| realize(n, x[0])),
    ("assign", |n, x| assign(n, x[0], x[1])),
    ("assign_view", |n, x| assign_view(n, x)),
    ("bind_shrink", |n, x| bind_shrink(n, x[0])),
];

fn reshape(node: &Node, x: &Tensor) -> Result<Tensor> {
    Ok(x.try_reshape(shape_of(node))?)
}

/// A negative step begins at the last element of the window. Morok wants `end` below the first one then, and takes
/// negative numbers as counted from the end of the axis: -1 - extent is before the first element.
fn slice(node: &Node, x: &Tensor) -> Result<Tensor> {
    let (mut starts, mut ends, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let extents = x.shape()?;
    for (d, ((begin, end), step)) in pairs(node, "bounds")?.into_iter().zip(ints(node, "steps")?).enumerate()
    {
        let extent = extents[d].as_const().unwrap_or(0) as i64;
        let (begin, end) = (begin as i64, end as i64);
        let backwards = step < 0 && begin < end;
        starts.push(if backwards { end - 1 } else { begin });
        ends.push(if !backwards {
            end
        } else if begin > 0 {
            begin - 1
        } else {
            -1 - extent
        });
        steps.push(if begin < end { step as i64 } else { 1 });
    }
    Ok(x.slice_with().starts(&starts).ends(&ends).steps(&steps).call()?)
}

/// `contiguous` of a buffer is that buffer (morok-ir 0.1.0-alpha.2, src/uop/constructors/graph.rs), so that an assign to
/// the result would write into the operand.
fn realize(node: &Node, x: &Tensor) -> Result<Tensor> {
    if node.config.is_none() || !x.uop().has_buffer_identity() || node.shape.contains(&0) {
        return realized(node, x.contiguous());
    }
    assign(node, &Tensor::empty(&node.shape, node.dtype.clone()), x)
}

fn assign(node: &Node, target: &Tensor, value: &Tensor) -> Result<Tensor> {
    target.assign(value);
    realized(node, target.clone())
}

/// Executed here; without a plan to run anything it stays lazy.
fn realized(node: &Node, mut x: Tensor) -> Result<Tensor> {
    if let Some(config) = node.config {
        x.realize_with(config)?;
    }
    Ok(x)
}

fn assign_view(node: &Node, x: &[&Tensor]) -> Result<Tensor> {
    if node.config.is_none() {
        return Err(Failure::unsupported("assign_view in a schedule alone"));
    }
    let bounds = pairs(node, "bounds")?;
    if bounds.iter().any(|(begin, end)| begin == end) {
        return Ok(x[0].clone()); // nothing is written, and there are no kernels without elements
    }
    let window = x[0].try_shrink(bounds)?;
    window.assign(x[1]);
    realized(node, window)?;
    Ok(x[0].clone())
}

/// The extent is a variable that the kernels take as an argument; its name says which, since values are bound by name
/// (extract_var_vals; morok-tensor 0.1.0-alpha.2, src/realize.rs).
fn bind_shrink(node: &Node, x: &Tensor) -> Result<Tensor> {
    let size = Variable::new("v", int(node, "min")?, int(node, "max")?).bind(int(node, "size")?)?;
    let mut ranges: Vec<(SInt, SInt)> = x.shape()?.iter().map(|end| (SInt::Const(0), end.clone())).collect();
    ranges[axis(node)? as usize].1 = size.as_sint();
    Ok(x.try_shrink(ranges)?)
}
