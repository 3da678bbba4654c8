//! Reduces and what works along one axis in every dtype that they take, on small whole numbers, against
//! loops over f64. Needs clang-19, or a `clang` on PATH.

mod common;

use common::rows::*;
use common::values::*;
use serde_json::{Value, json};

// Faults of Morok 0.1.0-alpha.2, which the tests expect until they are gone.

/// `inverse` is ~x as -x - 1, which C computes as a negative int (morok-tensor, src/reduce.rs).
const ARGMIN_OF_NARROW_UNSIGNED: [&str; 2] =
    [r#"argmin u8 {"axis":1,"keepdim":true}"#, r#"argmin u16 {"axis":1,"keepdim":true}"#];
const ARGMIN_AT_THE_ENDS: [&str; 2] =
    [r#"argmin u8 {"axis":0,"keepdim":false}"#, r#"argmin u16 {"axis":0,"keepdim":false}"#];

/// Extents that are no powers of two are padded with an end of i64 as a float (morok-tensor, src/indexing.rs, `sort`).
const PADDED_SORT_OF_U64: [&str; 2] =
    [r#"sort u64 {"axis":0,"descending":false}"#, r#"sort u64 {"axis":0,"descending":true}"#];
const PADDED_SORT_OF_SMALL_U64: [&str; 2] =
    [r#"argsort u64 {"axis":1,"descending":true}"#, r#"topk u64 {"axis":1,"k":2,"largest":true}"#];

#[test]
fn reduces() {
    let numbers = numbers();
    let axes = |axes: &[usize], keepdim: bool| json!({"axes": axes, "keepdim": keepdim});
    let axis = |axis: usize, keepdim: bool| json!({"axis": axis, "keepdim": keepdim});
    let bools: &[f64] = &[0., 1., 0., 1., 1., 0.];
    let logsumexp = |x: &[f64]| x.iter().map(|x| x.exp()).sum::<f64>().ln();
    let rows = [
        row("sum", &numbers, &[(M, X)], axes(&[1], false), &[2], &[6., 10.]),
        row("sum", &numbers, &[(&[4], &[100.; 4])], axes(&[0], true), &[1], &[400.]),
        row("prod", &numbers, &[(M, X)], axes(&[0], true), &[1, 3], &[15., 5., 0.]),
        row("prod", &numbers, &[(&[3], &[7.; 3])], axes(&[0], false), &[], &[343.]),
        row("max", &numbers, &[(M, X)], axes(&[0, 1], false), &[], &[5.]),
        row("min", &numbers, &[(M, X)], axes(&[1], true), &[2, 1], &[1., 0.]),
        row("any", &["bool"], &[(M, bools)], axes(&[0], false), &[3], &[1., 1., 0.]),
        row("all", &["bool"], &[(M, bools)], axes(&[0], true), &[1, 3], &[0., 1., 0.]),
        row("mean", &FLOATS, &[(M, X)], axes(&[1], false), &[2], &[2., 10. / 3.]),
        row("var", &FLOATS, &[(M, X)], axes(&[1], false), &[2], &[1., 25. / 3.]),
        row("std", &FLOATS, &[(M, X)], axes(&[0], true), &[1, 3], &[2f64.sqrt(), 8f64.sqrt(), 2f64.sqrt()]),
        row(
            "logsumexp",
            &FLOATS,
            &[(M, X)],
            axes(&[1], true),
            &[2, 1],
            &[logsumexp(&X[..3]), logsumexp(&X[3..])],
        ),
        row("logsumexp", &FLOATS, &[(M, X)], axes(&[0, 1], false), &[], &[logsumexp(X)]),
        to(row("argmax", &numbers, &[(M, X)], axis(1, false), &[2], &[0., 0.]), "i32"),
        to(row("argmax", &numbers, &[(M, X)], axis(0, true), &[1, 3], &[1., 1., 0.]), "i32"),
        to(row("argmin", &numbers, &[(M, X)], axis(1, true), &[2, 1], &[1., 2.]), "i32"),
        row("prod", &SIGNED_NUMBERS, &[(M, Y)], axes(&[1], false), &[2], &[6., -25.]),
        row("max", &SIGNED_NUMBERS, &[(M, Y)], axes(&[1], false), &[2], &[1., -1.]),
        row("min", &SIGNED_NUMBERS, &[(M, Y)], axes(&[0], false), &[3], &[-5., -5., -2.]),
        to(row("argmax", &SIGNED_NUMBERS, &[(M, Y)], axis(1, false), &[2], &[1., 2.]), "i32"),
        to(row("argmin", &SIGNED_NUMBERS, &[(M, Y)], axis(1, false), &[2], &[0., 0.]), "i32"),
    ];
    check(&cases(&rows), &ARGMIN_OF_NARROW_UNSIGNED);
}

#[test]
fn reduces_of_the_ends_of_ranges() {
    let mut cases = Vec::new();
    for dtype in ints() {
        let (low, high) = (lowest(dtype), largest(dtype));
        let x = [high, low, high - 1, low + 1];
        let attrs = json!({"axes": [0], "keepdim": false});
        let mut add =
            |op: &'static str, attrs: &Value, to: &'static str, shape: &[usize], result: &[i128]| {
                let x = Operand { dtype, shape: vec![4], data: Numbers::Whole(x.to_vec()) };
                let result = Numbers::Whole(result.iter().map(|&x| wrapped(to, x)).collect());
                let (attrs, shape) = (attrs.clone(), shape.to_vec());
                cases.push(Case {
                    op,
                    dtype,
                    operands: vec![x],
                    attrs,
                    to,
                    shape,
                    result,
                    tolerance: 0.0,
                    error: 0.0,
                });
            };
        add("sum", &attrs, dtype, &[], &[2 * (high + low)]);
        add("max", &attrs, dtype, &[], &[high]);
        add("min", &attrs, dtype, &[], &[low]);
        let (axis, order) = (json!({"axis": 0, "keepdim": false}), json!({"axis": 0, "descending": false}));
        add("argmax", &axis, "i32", &[], &[0]);
        add("argmin", &axis, "i32", &[], &[1]);
        add("sort", &order, dtype, &[4], &[low, low + 1, high - 1, high]);
        add("argsort", &order, "i32", &[4], &[1, 3, 2, 0]);
        let least = json!({"axis": 0, "k": 3, "largest": false});
        add("topk", &least, dtype, &[3], &[low, low + 1, high - 1]);
    }
    for dtype in ints() {
        let (low, high) = (lowest(dtype), largest(dtype));
        for descending in [false, true] {
            let mut result = vec![low, high - 1, high];
            if descending {
                result.reverse();
            }
            let x = Operand { dtype, shape: vec![3], data: Numbers::Whole(vec![high - 1, high, low]) };
            cases.push(Case {
                op: "sort",
                dtype,
                operands: vec![x],
                attrs: json!({"axis": 0, "descending": descending}),
                to: dtype,
                shape: vec![3],
                result: Numbers::Whole(result),
                tolerance: 0.0,
                error: 0.0,
            });
        }
    }
    cases.sort_by_key(|case| case.op);
    check(&cases, &[&ARGMIN_AT_THE_ENDS[..], &PADDED_SORT_OF_U64].concat());
}

#[test]
fn scans() {
    let numbers = numbers();
    let softmax = |x: &[f64]| -> Vec<f64> {
        let sum: f64 = x.iter().map(|x| x.exp()).sum();
        x.iter().map(|x| x.exp() / sum).collect()
    };
    let by_row = [softmax(&X[..3]), softmax(&X[3..])].concat();
    let logs: Vec<f64> = by_row.iter().map(|x| x.ln()).collect();
    let sorting = |axis: usize, descending: bool| json!({"axis": axis, "descending": descending});
    let topk = |k: usize, largest: bool| json!({"axis": 1, "k": k, "largest": largest});
    let rows = [
        row("softmax", &FLOATS, &[(M, X)], json!({"axis": 1}), M, &by_row),
        row("log_softmax", &FLOATS, &[(M, X)], json!({"axis": 1}), M, &logs),
        row("cumsum", &numbers, &[(M, X)], json!({"axis": 1}), M, &[3., 4., 6., 5., 10., 10.]),
        row("cumsum", &numbers, &[(&[3], &[100.; 3])], json!({"axis": 0}), &[3], &[100., 200., 300.]),
        row("cumprod", &numbers, &[(M, X)], json!({"axis": 0}), M, &[3., 1., 2., 15., 5., 0.]),
        row("sort", &numbers, &[(M, X)], sorting(1, false), M, &[1., 2., 3., 0., 5., 5.]),
        row("sort", &numbers, &[(M, X)], sorting(0, true), M, &[5., 5., 2., 3., 1., 0.]),
        to(row("argsort", &numbers, &[(M, X)], sorting(1, true), M, &[0., 2., 1., 0., 1., 2.]), "i32"),
        to(row("argsort", &numbers, &[(M, X)], sorting(1, false), M, &[1., 2., 0., 2., 0., 1.]), "i32"),
        row("topk", &numbers, &[(M, X)], topk(2, true), &[2, 2], &[3., 2., 5., 5.]),
        row("topk", &numbers, &[(M, X)], topk(1, false), &[2, 1], &[1., 0.]),
        row("cumprod", &SIGNED_NUMBERS, &[(M, Y)], json!({"axis": 1}), M, &[-3., -3., 6., -5., 25., -25.]),
        row("sort", &SIGNED_NUMBERS, &[(M, Y)], sorting(1, true), M, &[1., -2., -3., -1., -5., -5.]),
        row("topk", &SIGNED_NUMBERS, &[(M, Y)], topk(2, false), &[2, 2], &[-3., -2., -5., -5.]),
    ];
    check(&cases(&rows), &PADDED_SORT_OF_SMALL_U64);
}
