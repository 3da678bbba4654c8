//! Elements chosen by indices in every dtype that they take, on small whole numbers, against
//! loops over f64. Needs clang-19, or a `clang` on PATH.

mod common;

use common::rows::*;
use common::values::*;
use common::{F, I, Program};
use serde_json::json;

// Faults of Morok 0.1.0-alpha.2, which the tests expect until they are gone.

/// What is not hit is an end of i64, cut to the dtype: 0 or -1 (morok-tensor, src/indexing.rs, `scatter_reduce`).
const SCATTERED_EXTREMES: [&str; 9] = [
    r#"scatter_reduce i8 {"axis":1,"include_self":false,"reduce":"amin"}"#,
    r#"scatter_reduce i16 {"axis":1,"include_self":false,"reduce":"amin"}"#,
    r#"scatter_reduce i32 {"axis":1,"include_self":false,"reduce":"amin"}"#,
    r#"scatter_reduce i8 {"axis":1,"include_self":true,"reduce":"amin"}"#,
    r#"scatter_reduce i16 {"axis":1,"include_self":true,"reduce":"amin"}"#,
    r#"scatter_reduce i32 {"axis":1,"include_self":true,"reduce":"amin"}"#,
    r#"scatter_reduce i8 {"axis":1,"include_self":true,"reduce":"amax"}"#,
    r#"scatter_reduce i16 {"axis":1,"include_self":true,"reduce":"amax"}"#,
    r#"scatter_reduce i32 {"axis":1,"include_self":true,"reduce":"amax"}"#,
];

#[test]
fn indexing() {
    let numbers = numbers();
    let axis = |axis: usize| json!({"axis": axis});
    let reduce = |axis: usize, how: &str, include_self: bool| json!({"axis": axis, "reduce": how, "include_self": include_self});
    let square: &[usize] = &[2, 2];
    let index: (&[usize], &[f64]) = (square, &[2., 2., 0., 5.]);
    let source: (&[usize], &[f64]) = (square, &[7., 4., 9., 6.]);
    let with_index = |row| with(row, 1, "i32");
    let three = [(M, X), index, source];
    let below = [(M, Y), index, (square, &[-7., -4., -9., -6.][..])];
    let below_amax = [-3., 1., -2., -5., -5., -1.];
    let narrow: Vec<&'static str> =
        numbers.iter().copied().filter(|dtype| !["u64", "i64"].contains(dtype)).collect();
    let rows = [
        with_index(row("gather", &numbers, &[(M, X), index], axis(1), square, &[2., 2., 5., 0.])),
        with_index(row("gather", &numbers, &[(M, X), (&[1, 2], &[1., 0.])], axis(0), &[1, 2], &[5., 1.])),
        with_index(row(
            "index_select",
            &numbers,
            &[(M, X), (&[2], &[2., 0.])],
            axis(1),
            square,
            &[2., 3., 0., 5.],
        )),
        with_index(row("index_select", &numbers, &[(M, X), (&[1], &[9.])], axis(1), &[2, 1], &[0., 0.])),
        with_index(row("scatter", &numbers, &three, axis(1), M, &[3., 1., 4., 9., 5., 0.])),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "sum", true),
            M,
            &[3., 1., 13., 14., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "sum", false),
            M,
            &[3., 1., 11., 9., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "prod", true),
            M,
            &[3., 1., 56., 45., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "prod", false),
            M,
            &[3., 1., 28., 9., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "amax", true),
            M,
            &[3., 1., 7., 9., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "amin", false),
            M,
            &[3., 1., 4., 9., 5., 0.],
        )),
        with_index(row(
            "scatter_reduce",
            &SIGNED_NUMBERS[..3],
            &below,
            reduce(1, "amax", true),
            M,
            &below_amax,
        )),
        with_index(row(
            "scatter_reduce",
            &SIGNED_NUMBERS[4..],
            &below,
            reduce(1, "amax", true),
            M,
            &below_amax,
        )),
        with_index(row(
            "scatter_reduce",
            &narrow,
            &three,
            reduce(1, "amin", true),
            M,
            &[3., 1., 2., 5., 5., 0.],
        )),
        row(
            "one_hot",
            &["i32"],
            &[(&[3], &[1., 0., 5.])],
            json!({"classes": 2}),
            &[3, 2],
            &[0., 1., 1., 0., 0., 0.],
        ),
    ];
    check(&cases(&rows), &SCATTERED_EXTREMES);
}

/// A fault of Morok 0.1.0-alpha.2, which the test expects until it is gone: what an index does not reach of the other
/// axes is padded with one axis too few (morok-tensor, src/indexing.rs).
#[test]
fn an_index_that_is_shorter_along_another_axis_fails() {
    for (op, attrs) in [
        ("scatter", json!({"axis": 1})),
        ("scatter_reduce", json!({"axis": 1, "reduce": "sum", "include_self": true})),
    ] {
        let mut program = Program::default();
        program.input("x", &[2, 3], &F(vec![0.; 6])).input("i", &[1, 1], &I(vec![2]));
        program.input("v", &[1, 1], &F(vec![5.])).node("y", op, "f32", &[2, 3], &["x", "i", "v"], attrs);
        let message = program.answer(&["y"])["message"].clone();
        assert_eq!(message, "Shape mismatch for 'pad': expected 3 dimensions, got 2 padding pairs");
    }
}
