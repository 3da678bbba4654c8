//! Sources and movement in every dtype: the result is the operand's elements in another order. Needs clang-19, or a
//! `clang` on PATH.

mod common;

use common::values::*;
use common::{F, I, Program, output};
use serde_json::{Value, json};

/// The result's elements are those of the operands, one after another, at `from`; -1 is 0, -2 is 1.
fn moved(
    dtype: &'static str,
    op: &'static str,
    shapes: &[&[usize]],
    attrs: &Value,
    shape: &[usize],
    from: &[i32],
) -> Case {
    let mut next = 0;
    let mut all = Vec::new();
    let operand = |shape: &&[usize]| {
        let count = shape.iter().product::<usize>();
        let values: Vec<f64> = (next..next + count)
            .map(|k| if dtype == "bool" { (k % 3) as f64 } else { k as f64 + 2.0 })
            .collect();
        next += count;
        all.extend(values.clone());
        Operand { dtype, shape: shape.to_vec(), data: of(dtype, &values) }
    };
    let operands = shapes.iter().map(operand).collect();
    let at = |&k: &i32| if k < 0 { f64::from(-1 - k) } else { all[k as usize] };
    let result = of(dtype, &from.iter().map(at).collect::<Vec<_>>());
    Case {
        op,
        dtype,
        operands,
        attrs: attrs.clone(),
        to: dtype,
        shape: shape.to_vec(),
        result,
        tolerance: 0.0,
        error: 0.0,
    }
}

const M: &[usize] = &[2, 3];

#[test]
fn movement() {
    let iota: Vec<i32> = (0..6).collect();
    type Row<'a> = (&'static str, Vec<&'a [usize]>, Value, Vec<usize>, Vec<i32>);
    let rows: Vec<Row> = vec![
        ("reshape", vec![M], json!({"shape": [3, 2]}), vec![3, 2], iota.clone()),
        ("permute", vec![M], json!({"axes": [1, 0]}), vec![3, 2], vec![0, 3, 1, 4, 2, 5]),
        ("expand", vec![&[2, 1]], json!({"shape": [2, 2]}), vec![2, 2], vec![0, 0, 1, 1]),
        ("pad", vec![&[1, 2]], json!({"padding": [[0, 1], [1, 0]]}), vec![2, 3], vec![-1, 0, 1, -1, -1, -1]),
        (
            "pad_value",
            vec![&[1, 2]],
            json!({"padding": [[0, 0], [1, 1]], "value": 1.0}),
            vec![1, 4],
            vec![-2, 0, 1, -2],
        ),
        ("shrink", vec![M], json!({"bounds": [[1, 2], [0, 2]]}), vec![1, 2], vec![3, 4]),
        ("flip", vec![M], json!({"axes": [0, 1]}), vec![2, 3], vec![5, 4, 3, 2, 1, 0]),
        ("contiguous", vec![M], json!({}), vec![2, 3], iota.clone()),
        ("cat", vec![&[2, 1], &[2, 2], &[2, 0]], json!({"axis": 1}), vec![2, 3], vec![0, 2, 3, 1, 4, 5]),
        ("stack", vec![&[2], &[2]], json!({"axis": 1}), vec![2, 2], vec![0, 2, 1, 3]),
        (
            "slice",
            vec![M],
            json!({"bounds": [[0, 2], [0, 3]], "steps": [-1, 2]}),
            vec![2, 2],
            vec![3, 5, 0, 2],
        ),
        ("slice", vec![&[7]], json!({"bounds": [[1, 6]], "steps": [-3]}), vec![2], vec![5, 2]),
        ("repeat", vec![&[1, 2]], json!({"repeats": [2, 2]}), vec![2, 4], vec![0, 1, 0, 1, 0, 1, 0, 1]),
        ("squeeze", vec![&[2, 1, 3]], json!({"axis": 1}), vec![2, 3], iota.clone()),
        ("unsqueeze", vec![M], json!({"axis": 2}), vec![2, 3, 1], iota.clone()),
        ("flatten", vec![&[1, 2, 3, 1]], json!({"start": 1, "end": 2}), vec![1, 6, 1], iota.clone()),
        ("tril", vec![M], json!({"diagonal": 0}), vec![2, 3], vec![0, -1, -1, 3, 4, -1]),
        ("triu", vec![M], json!({"diagonal": 1}), vec![2, 3], vec![-1, 1, 2, -1, -1, 5]),
        ("detach", vec![M], json!({}), vec![2, 3], iota.clone()),
        ("realize", vec![M], json!({}), vec![2, 3], iota.clone()),
        ("assign", vec![&[3], &[3]], json!({}), vec![3], vec![3, 4, 5]),
        (
            "assign_view",
            vec![M, &[2, 1]],
            json!({"bounds": [[0, 2], [1, 2]]}),
            vec![2, 3],
            vec![0, 6, 2, 3, 7, 5],
        ),
        ("assign_view", vec![M, &[2, 0]], json!({"bounds": [[0, 2], [1, 1]]}), vec![2, 3], iota.clone()),
        (
            "bind_shrink",
            vec![&[6]],
            json!({"axis": 0, "min": 1, "max": 6, "size": 4}),
            vec![4],
            vec![0, 1, 2, 3],
        ),
    ];
    let of_row = |dtype, (op, shapes, attrs, shape, from): &Row| moved(dtype, op, shapes, attrs, shape, from);
    let cases: Vec<Case> =
        rows.iter().flat_map(|row| all().into_iter().map(move |d| of_row(d, row))).collect();
    check(&cases, &[]);
}

#[test]
fn sources() {
    let mut cases = Vec::new();
    let mut add = |op, dtype, attrs: Value, shape: &[usize], result: &[f64]| {
        let (shape, result) = (shape.to_vec(), of(dtype, result));
        cases.push(Case {
            op,
            dtype,
            operands: vec![],
            attrs,
            to: dtype,
            shape,
            result,
            tolerance: 0.0,
            error: 0.0,
        });
    };
    for dtype in all() {
        add("full", dtype, json!({"value": 1.0}), &[2, 2], &[1.; 4]);
        add("full", dtype, json!({"value": true}), &[], &[1.]);
        add("eye", dtype, json!({}), &[2, 3], &[1., 0., 0., 0., 1., 0.]);
        if dtype != "bool" {
            add("full", dtype, json!({"value": 100}), &[3], &[100.; 3]);
            add("arange", dtype, json!({"start": 1, "step": 3}), &[4], &[1., 4., 7., 10.]);
            add("arange", dtype, json!({"start": 9, "step": -2}), &[4], &[9., 7., 5., 3.]);
            add("arange", dtype, json!({"start": 9, "step": 1}), &[0], &[]);
        }
        if is_float(dtype) {
            add("full", dtype, json!({"value": "-inf"}), &[2], &[f64::NEG_INFINITY; 2]);
            add("full", dtype, json!({"value": "nan"}), &[2], &[f64::NAN; 2]);
            add("full", dtype, json!({"value": 0.1}), &[2], &[0.1; 2]);
        }
    }
    add("linspace", "f32", json!({"start": -1.0, "stop": 1.0}), &[5], &[-1., -0.5, 0., 0.5, 1.]);
    cases.sort_by_key(|case| case.op);
    check(&cases, &[]);
}

#[test]
fn what_has_no_elements() {
    let mut program = Program::default();
    program.input("x", &[0, 3], &F(vec![])).node("y", "neg", "f32", &[0, 3], &["x"], json!({}));
    program.node("z", "sum", "f32", &[3], &["y"], json!({"axes": [0], "keepdim": false}));
    program.node("r", "realize", "f32", &[0, 3], &["y"], json!({}));
    program.node("c", "cat", "f32", &[0, 6], &["r", "x"], json!({"axis": 1}));
    let reply = program.answer(&["y", "z", "r", "c"]);
    let none = |shape: [usize; 2]| (shape.to_vec(), F(vec![]));
    assert_eq!(output(&reply, 0), none([0, 3]));
    assert_eq!(output(&reply, 1), (vec![3], F(vec![0.0; 3])));
    assert_eq!(output(&reply, 2), none([0, 3]));
    assert_eq!(output(&reply, 3), none([0, 6]));
}

/// Each assign runs once, however many outputs depend on it, and what was computed before keeps the old contents.
#[test]
fn assignments_happen_in_order() {
    let mut program = Program::default();
    program.input("x", &[3], &I(vec![1, 2, 3])).input("d", &[3], &I(vec![10, 10, 10]));
    program.node("r", "realize", "i32", &[3], &["x"], json!({}));
    program.node("v", "add", "i32", &[3], &["r", "d"], json!({}));
    program.node("a", "assign", "i32", &[3], &["r", "v"], json!({}));
    program.node("w", "add", "i32", &[3], &["a", "d"], json!({}));
    program.node("b", "assign", "i32", &[3], &["a", "w"], json!({}));
    program.node("s", "shrink", "i32", &[1], &["d"], json!({"bounds": [[0, 1]]}));
    program.node("c", "assign_view", "i32", &[3], &["b", "s"], json!({"bounds": [[1, 2]]}));
    program.node("y", "neg", "i32", &[3], &["c"], json!({}));
    let reply = program.answer(&["c", "y", "x"]);
    assert_eq!(output(&reply, 0).1, I(vec![21, 10, 23]));
    assert_eq!(output(&reply, 1).1, I(vec![-21, -10, -23]));
    assert_eq!(output(&reply, 2).1, I(vec![1, 2, 3]));
}

/// Faults of Morok 0.1.0-alpha.2, which the test expects until they are gone.
#[test]
fn what_has_no_elements_and_fails() {
    let mut program = Program::default();
    program.input("x", &[0, 3], &F(vec![]));
    program.node("y", "pad", "f32", &[1, 3], &["x"], json!({"padding": [[1, 0], [0, 0]]}));
    assert_eq!(program.answer(&["y"])["message"], "No kernels found after scheduling pipeline");
    let mut program = Program::default();
    program.input("x", &[2], &F(vec![1., 2.])).input("i", &[0], &I(vec![])).input("s", &[0], &F(vec![]));
    program.node("y", "scatter", "f32", &[2], &["x", "i", "s"], json!({"axis": 0}));
    assert_eq!(program.answer(&["y"])["status"], "panicked");
}
