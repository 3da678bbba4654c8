//! Cases of one operation in many dtypes, on the same small numbers.

use serde_json::Value;

use super::values::{Case, Operand, of};

/// One operation on operands of one dtype, but for those named `i32` or `bool`.
pub struct Row<'a> {
    pub op: &'static str,
    pub dtypes: &'a [&'static str],
    pub operands: Vec<(&'static str, Vec<usize>, Vec<f64>)>,
    pub attrs: Value,
    pub to: &'static str,
    pub shape: Vec<usize>,
    pub result: Vec<f64>,
}

/// Where a row names no dtype it is that of the case.
pub const SAME: &str = "";

pub fn cases(rows: &[Row]) -> Vec<Case> {
    let of_dtype = |row: &Row, dtype: &'static str| {
        let own = |named: &'static str| if named == SAME { dtype } else { named };
        let operand = |(named, shape, data): &(&'static str, Vec<usize>, Vec<f64>)| Operand {
            dtype: own(named),
            shape: shape.clone(),
            data: of(own(named), data),
        };
        Case {
            op: row.op,
            dtype,
            operands: row.operands.iter().map(operand).collect(),
            attrs: row.attrs.clone(),
            to: own(row.to),
            shape: row.shape.clone(),
            result: of(own(row.to), &row.result),
            tolerance: 4.0,
            error: 0.0,
        }
    };
    rows.iter().flat_map(|row| row.dtypes.iter().map(move |dtype| of_dtype(row, dtype))).collect()
}

pub fn row<'a>(
    op: &'static str,
    dtypes: &'a [&'static str],
    operands: &[(&[usize], &[f64])],
    attrs: Value,
    shape: &[usize],
    result: &[f64],
) -> Row<'a> {
    let operands = operands.iter().map(|(shape, data)| (SAME, shape.to_vec(), data.to_vec())).collect();
    Row { op, dtypes, operands, attrs, to: SAME, shape: shape.to_vec(), result: result.to_vec() }
}

/// With operand `k` of another dtype.
pub fn with<'a>(mut row: Row<'a>, k: usize, dtype: &'static str) -> Row<'a> {
    row.operands[k].0 = dtype;
    row
}
pub fn to<'a>(mut row: Row<'a>, dtype: &'static str) -> Row<'a> {
    row.to = dtype;
    row
}

pub const M: &[usize] = &[2, 3];
pub const X: &[f64] = &[3., 1., 2., 5., 5., 0.];

pub const SIGNED_NUMBERS: [&str; 8] = ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"];
pub const Y: &[f64] = &[-3., 1., -2., -5., -5., -1.];
