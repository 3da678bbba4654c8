//! Every operation once, compiled and run, against values computed by hand. Needs clang-19, or a `clang` on PATH.

mod common;

use common::{B, Data, F, I, Program, output};
use serde_json::{Value, json};

/// Operands (`shape`, data) and the result that the operation must have.
struct Case {
    op: &'static str,
    operands: Vec<(Vec<usize>, Data)>,
    attrs: Value,
    shape: Vec<usize>,
    result: Data,
}

fn case(
    op: &'static str,
    operands: &[(&[usize], Data)],
    attrs: Value,
    shape: &[usize],
    result: Data,
) -> Case {
    let operands = operands.iter().map(|(shape, data)| (shape.to_vec(), data.clone())).collect();
    Case { op, operands, attrs, shape: shape.to_vec(), result }
}

/// One-dimensional operands, no attributes.
fn plain(op: &'static str, operands: &[Data], result: Data) -> Case {
    let length = |data: &Data| match data {
        B(v) => v.len(),
        I(v) => v.len(),
        F(v) => v.len(),
    };
    let shape = [length(&result)];
    let operands: Vec<(&[usize], Data)> = operands.iter().map(|data| (&shape[..], data.clone())).collect();
    case(op, &operands, json!({}), &shape, result)
}

fn sources_and_movement() -> Vec<Case> {
    let iota = || I((1..=6).collect());
    let matrix: &[usize] = &[2, 3];
    vec![
        case("input", &[], json!({}), &[2], F(vec![1.5, -0.0])),
        case("full", &[], json!({"value": -7}), &[2, 2], I(vec![-7; 4])),
        case("full", &[], json!({"value": "-inf"}), &[2], F(vec![f32::NEG_INFINITY; 2])),
        case("full", &[], json!({"value": true}), &[], B(vec![true])),
        case("arange", &[], json!({"start": 5, "step": -2}), &[4], I(vec![5, 3, 1, -1])),
        case("arange", &[], json!({"start": -1, "step": 3}), &[3], F(vec![-1., 2., 5.])),
        case("reshape", &[(matrix, iota())], json!({"shape": [3, 2]}), &[3, 2], iota()),
        case("permute", &[(matrix, iota())], json!({"axes": [1, 0]}), &[3, 2], I(vec![1, 4, 2, 5, 3, 6])),
        case("expand", &[(&[2, 1], I(vec![8, 9]))], json!({"shape": [2, 2]}), &[2, 2], I(vec![8, 8, 9, 9])),
        case(
            "pad",
            &[(&[1, 2], F(vec![1., 2.]))],
            json!({"padding": [[0, 1], [1, 0]]}),
            &[2, 3],
            F(vec![0., 1., 2., 0., 0., 0.]),
        ),
        case("shrink", &[(matrix, iota())], json!({"bounds": [[1, 2], [0, 2]]}), &[1, 2], I(vec![4, 5])),
        case("flip", &[(matrix, iota())], json!({"axes": [1]}), matrix, I(vec![3, 2, 1, 6, 5, 4])),
        case("contiguous", &[(matrix, iota())], json!({}), matrix, iota()),
        case(
            "cat",
            &[(&[2, 1], B(vec![true, false])), (&[2, 2], B(vec![false, true, true, true]))],
            json!({"axis": 1}),
            &[2, 3],
            B(vec![true, false, true, false, true, true]),
        ),
    ]
}

fn of_their_own() -> Vec<Case> {
    let matrix = || (&[2usize, 3] as &[usize], I((1..=6).collect()));
    vec![
        case(
            "slice",
            &[matrix()],
            json!({"bounds": [[0, 2], [0, 3]], "steps": [-1, 2]}),
            &[2, 2],
            I(vec![4, 6, 1, 3]),
        ),
        case(
            "slice",
            &[matrix()],
            json!({"bounds": [[1, 2], [1, 3]], "steps": [1, -1]}),
            &[1, 2],
            I(vec![6, 5]),
        ),
        case("slice", &[matrix()], json!({"bounds": [[1, 1], [0, 3]], "steps": [-2, 1]}), &[0, 3], I(vec![])),
        case("clamp", &[matrix()], json!({"min": 2.0, "max": 5.0}), &[2, 3], I(vec![2, 2, 3, 4, 5, 5])),
        case("realize", &[matrix()], json!({}), &[2, 3], I((1..=6).collect())),
        case("assign", &[matrix(), (&[2, 3], I(vec![9; 6]))], json!({}), &[2, 3], I(vec![9; 6])),
        case(
            "einsum",
            &[matrix(), (&[3], I(vec![1, 0, 2]))],
            json!({"formula": "ij_j_i"}),
            &[2],
            I(vec![7, 16]),
        ),
        case(
            "argsort",
            &[matrix()],
            json!({"axis": 1, "descending": true}),
            &[2, 3],
            I(vec![2, 1, 0, 2, 1, 0]),
        ),
        case("one_hot", &[(&[2], I(vec![1, 0]))], json!({"classes": 2}), &[2, 2], I(vec![0, 1, 1, 0])),
    ]
}

fn unary() -> Vec<Case> {
    let inf = f32::INFINITY;
    vec![
        plain("neg", &[I(vec![3, -4, i32::MIN])], I(vec![-3, 4, i32::MIN])),
        plain("neg", &[F(vec![1.5, -0.0, inf])], F(vec![-1.5, 0.0, -inf])),
        plain("abs", &[I(vec![3, -4, i32::MIN])], I(vec![3, 4, i32::MIN])),
        plain("abs", &[F(vec![-1.5, 2.0, -inf])], F(vec![1.5, 2.0, inf])),
        plain("sqrt", &[F(vec![4.0, 0.0, 2.25])], F(vec![2.0, 0.0, 1.5])),
        plain("exp2", &[F(vec![3.0, 0.0, -1.0])], F(vec![8.0, 1.0, 0.5])),
        plain("log2", &[F(vec![8.0, 1.0, 0.5])], F(vec![3.0, 0.0, -1.0])),
        plain("sin", &[F(vec![0.0, 1.0, -1.0])], F(vec![0.0, 0.841471, -0.841471])),
        plain("exp", &[F(vec![0.0, 1.0])], F(vec![1.0, 2.7182817])),
        plain("log", &[F(vec![1.0, 3.0])], F(vec![0.0, 1.0986123])),
        plain("reciprocal", &[F(vec![4.0, -0.5])], F(vec![0.25, -2.0])),
        plain("relu", &[I(vec![3, -4, 0])], I(vec![3, 0, 0])),
        plain("relu", &[F(vec![1.5, -2.0])], F(vec![1.5, 0.0])),
        plain("logical_not", &[B(vec![true, false])], B(vec![false, true])),
    ]
}

fn binary() -> Vec<Case> {
    let (x, y) = (vec![7, -7, 7, -7, 6, -6, 0, 1], vec![2, 2, -2, -2, 3, 3, -5, -9]);
    let int = |op, result: Vec<i32>| plain(op, &[I(x.clone()), I(y.clone())], I(result));
    let pair = |op, a: Vec<f32>, b: Vec<f32>, result: Vec<f32>| plain(op, &[F(a), F(b)], F(result));
    let bits = |op, result: [bool; 4]| {
        let (a, b) = (vec![false, false, true, true], vec![false, true, false, true]);
        plain(op, &[B(a), B(b)], B(result.to_vec()))
    };
    vec![
        int("floordiv", vec![3, -4, -4, 3, 2, -2, 0, -1]),
        int("floormod", vec![1, 1, -1, -1, 0, 0, 0, -8]),
        int("truncdiv", vec![3, -3, -3, 3, 2, -2, 0, 0]),
        int("truncmod", vec![1, -1, 1, -1, 0, 0, 0, 1]),
        int("maximum", vec![7, 2, 7, -2, 6, 3, 0, 1]),
        int("minimum", vec![2, -7, -2, -7, 3, -6, -5, -9]),
        plain("add", &[I(vec![i32::MAX, 2]), I(vec![1, 3])], I(vec![i32::MIN, 5])),
        plain("sub", &[I(vec![i32::MIN, 2]), I(vec![1, 3])], I(vec![i32::MAX, -1])),
        plain("mul", &[I(vec![65536, 2]), I(vec![65537, -3])], I(vec![65536, -6])),
        pair("add", vec![1.5, 2.0], vec![0.25, -2.0], vec![1.75, 0.0]),
        pair("sub", vec![1.5, 2.0], vec![0.25, -2.0], vec![1.25, 4.0]),
        pair("mul", vec![1.5, 2.0], vec![0.25, -2.0], vec![0.375, -4.0]),
        pair("div", vec![1.0, 2.0], vec![4.0, -8.0], vec![0.25, -0.25]),
        pair("maximum", vec![1.5, -2.0], vec![0.25, -1.0], vec![1.5, -1.0]),
        pair("minimum", vec![1.5, -2.0], vec![0.25, -1.0], vec![0.25, -2.0]),
        bits("and", [false, false, false, true]),
        bits("or", [false, true, true, true]),
        bits("xor", [false, true, true, false]),
        bits("eq", [true, false, false, true]),
        bits("ne", [false, true, true, false]),
        plain("and", &[I(vec![12, -1]), I(vec![10, 5])], I(vec![8, 5])),
        plain("or", &[I(vec![12, -8]), I(vec![10, 5])], I(vec![14, -3])),
        plain("xor", &[I(vec![12, -1]), I(vec![10, 5])], I(vec![6, -6])),
        plain("shl", &[I(vec![3, -1, 1]), I(vec![4, 31, 0])], I(vec![48, i32::MIN, 1])),
        plain("shr", &[I(vec![48, -5, i32::MIN]), I(vec![4, 1, 31])], I(vec![3, -3, -1])),
        plain("lt", &[I(vec![1, 2, i32::MIN]), I(vec![2, 2, i32::MAX])], B(vec![true, false, true])),
        plain("lt", &[F(vec![-0.0, f32::NAN]), F(vec![0.0, 1.0])], B(vec![false, false])),
        plain("eq", &[F(vec![-0.0, f32::NAN]), F(vec![0.0, f32::NAN])], B(vec![true, false])),
        plain("ne", &[F(vec![-0.0, f32::NAN]), F(vec![0.0, f32::NAN])], B(vec![false, true])),
        plain("eq", &[I(vec![1, 2]), I(vec![1, 3])], B(vec![true, false])),
        plain("ne", &[I(vec![1, 2]), I(vec![1, 3])], B(vec![false, true])),
    ]
}

fn where_and_cast() -> Vec<Case> {
    let condition = || B(vec![true, false]);
    let cast = |from: Data, to: &str, result: Data| Case {
        attrs: json!({"to": to}),
        ..plain("cast", &[from], result)
    };
    vec![
        plain("where", &[condition(), F(vec![1., 2.]), F(vec![3., 4.])], F(vec![1., 4.])),
        plain("where", &[condition(), I(vec![1, 2]), I(vec![3, 4])], I(vec![1, 4])),
        plain("where", &[condition(), condition(), B(vec![false, true])], B(vec![true, true])),
        cast(F(vec![2.9, -2.9, 0.5]), "i32", I(vec![2, -2, 0])),
        cast(F(vec![0.5, 0.0, -0.0]), "bool", B(vec![true, false, false])),
        cast(I(vec![256, 0]), "bool", B(vec![true, false])),
        cast(I(vec![16777217, -3]), "f32", F(vec![16777216., -3.])),
        cast(B(vec![true, false]), "i32", I(vec![1, 0])),
        cast(B(vec![true, false]), "f32", F(vec![1., 0.])),
    ]
}

fn reduces_and_composites() -> Vec<Case> {
    let matrix: &[usize] = &[2, 3];
    let ints = || (matrix, I(vec![1, -2, 3, 4, 5, -6]));
    let floats = || (matrix, F(vec![1., -2., 3., 4., 5., -6.]));
    let axes = |axes: &[usize], keepdim: bool| json!({"axes": axes, "keepdim": keepdim});
    vec![
        case("sum", &[ints()], axes(&[1], true), &[2, 1], I(vec![2, 3])),
        case("sum", &[(&[2], I(vec![i32::MAX, 1]))], axes(&[0], false), &[], I(vec![i32::MIN])),
        case("sum", &[floats()], axes(&[0, 1], false), &[], F(vec![5.])),
        case("prod", &[ints()], axes(&[0], false), &[3], I(vec![4, -10, -18])),
        case("prod", &[floats()], axes(&[1], false), &[2], F(vec![-6., -120.])),
        case("max", &[ints()], axes(&[0], true), &[1, 3], I(vec![4, 5, 3])),
        case("max", &[floats()], axes(&[1], false), &[2], F(vec![3., 5.])),
        case("min", &[ints()], axes(&[0, 1], true), &[1, 1], I(vec![-6])),
        case("min", &[floats()], axes(&[0], false), &[3], F(vec![1., -2., -6.])),
        case("mean", &[floats()], axes(&[1], true), &[2, 1], F(vec![0.6666667, 1.])),
        case("matmul", &[ints(), (&[3, 1], I(vec![1, 2, 3]))], json!({}), &[2, 1], I(vec![6, -4])),
        case(
            "matmul",
            &[(&[2, 1, 2], F(vec![1., 2., 3., 4.])), (&[2, 2, 1], F(vec![5., 6., 7., 8.]))],
            json!({}),
            &[2, 1, 1],
            F(vec![17., 53.]),
        ),
        case("softmax", &[(&[1, 2], F(vec![0., 0.]))], json!({"axis": 1}), &[1, 2], F(vec![0.5, 0.5])),
        case("cumsum", &[ints()], json!({"axis": 1}), matrix, I(vec![1, -1, 2, 4, 9, 3])),
        case("cumsum", &[floats()], json!({"axis": 0}), matrix, F(vec![1., -2., 3., 5., 3., -3.])),
    ]
}

/// Equal bits, or for functions that are not exact equal up to some rounding; NaN never comes up in results.
fn same(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (F(a), F(b)) => {
            let close = |x: &f32, y: &f32| x == y || (x - y).abs() <= 4e-7 * y.abs();
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| close(x, y))
        }
        _ => a == b,
    }
}

fn check(case: &Case) {
    let mut program = Program::default();
    let names: Vec<String> = (0..case.operands.len()).map(|k| format!("x{k}")).collect();
    for (name, (shape, data)) in names.iter().zip(&case.operands) {
        program.input(name, shape, data);
    }
    if case.op == "input" {
        program.input("y", &case.shape, &case.result);
    } else {
        let sources: Vec<&str> = names.iter().map(String::as_str).collect();
        program.node("y", case.op, case.result.dtype(), &case.shape, &sources, case.attrs.clone());
    }
    let (shape, data) = output(&program.answer(&["y"]), 0);
    let what = format!("{} {} of {:?}", case.op, case.attrs, case.operands);
    assert_eq!(shape, case.shape, "{what}");
    assert!(same(&data, &case.result), "{what}: {data:?}, not {:?}", case.result);
}

#[test]
fn sources_and_movement_have_their_values() {
    sources_and_movement().iter().for_each(check);
}

#[test]
fn elementwise_operations_have_their_values() {
    [unary(), binary(), where_and_cast()].iter().flatten().for_each(check);
}

#[test]
fn reduces_and_composites_have_their_values() {
    reduces_and_composites().iter().for_each(check);
}

// The harness runs every operation in every dtype (tests/diff/operations_test.cpp); here is what needs no reference.
#[test]
fn operations_with_a_call_of_their_own_have_their_values() {
    of_their_own().iter().for_each(check);
}

#[test]
fn what_has_no_elements() {
    let mut program = Program::default();
    program.input("x", &[0, 3], &F(vec![])).node("y", "neg", "f32", &[0, 3], &["x"], json!({}));
    program.node("z", "sum", "f32", &[3], &["y"], json!({"axes": [0], "keepdim": false}));
    let reply = program.answer(&["y", "z"]);
    assert_eq!(output(&reply, 0), (vec![0, 3], F(vec![])));
    assert_eq!(output(&reply, 1), (vec![3], F(vec![0.0; 3])));
}
