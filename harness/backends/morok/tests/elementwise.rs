//! Elementwise operations in every dtype that they take, against whole numbers and f64. Needs clang-19, or a `clang` on
//! PATH.

mod common;

use common::values::*;
use serde_json::{Value, json};

use Numbers::{Real, Whole};

fn operand(dtype: &'static str, data: Numbers) -> Operand {
    let count = match &data {
        Whole(list) => list.len(),
        Real(list) => list.len(),
    };
    Operand { dtype, shape: vec![count], data }
}

fn case(op: &'static str, operands: Vec<Operand>, attrs: Value, to: &'static str, result: Numbers) -> Case {
    let (dtype, shape) = (operands[0].dtype, operands[0].shape.clone());
    Case { op, dtype, operands, attrs, to, shape, result, tolerance: 0.0, error: 0.0 }
}

/// Small numbers, the ends of the range and what is near them.
fn samples(dtype: &str) -> Vec<i128> {
    let (low, high) = (lowest(dtype), largest(dtype));
    let mut samples = vec![0, 1, 2, 3, 5, 7, 100, high / 2 + 1, high - 1, high];
    if low < 0 {
        samples.extend([-1, -2, -3, -7, -100, low + 1, low]);
    }
    samples
}

fn pairs(dtype: &str, wanted: impl Fn(i128, i128) -> bool) -> (Vec<i128>, Vec<i128>) {
    let all = samples(dtype);
    let all = all.iter().flat_map(|&x| all.iter().map(move |&y| (x, y)));
    all.filter(|&(x, y)| wanted(x, y)).unzip()
}

type OfOne = fn(i128) -> i128;
type OfTwo = fn(i128, i128) -> i128;

#[test]
fn whole_numbers() {
    let of_one: [(&'static str, OfOne); 6] = [
        ("neg", |x| -x),
        ("abs", i128::abs),
        ("sign", i128::signum),
        ("square", |x| x.wrapping_mul(x)),
        ("relu", |x| x.max(0)),
        ("bitwise_not", |x| !x),
    ];
    let of_two: [(&'static str, OfTwo); 13] = [
        ("add", |x, y| x + y),
        ("sub", |x, y| x - y),
        ("mul", i128::wrapping_mul),
        ("maximum", i128::max),
        ("minimum", i128::min),
        ("and", |x, y| x & y),
        ("or", |x, y| x | y),
        ("xor", |x, y| x ^ y),
        ("floordiv", |x, y| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0)),
        ("floormod", |x, y| (x % y + y) % y),
        ("truncdiv", |x, y| x / y),
        ("truncmod", |x, y| x % y),
        ("shl", |x, y| x << y),
    ];
    let mut cases = Vec::new();
    for (op, f) in of_one {
        for dtype in ints() {
            let (x, y) = samples(dtype).into_iter().map(|x| (x, wrapped(dtype, f(x)))).unzip();
            cases.push(case(op, vec![operand(dtype, Whole(x))], json!({}), dtype, Whole(y)));
        }
    }
    for (op, f) in of_two.into_iter().chain([("shr", (|x, y| x >> y) as OfTwo)]) {
        for dtype in ints() {
            let (x, y) = match op {
                "shl" | "shr" => pairs(dtype, |_, y| (0..width(dtype).into()).contains(&y)),
                _ if op.ends_with("div") || op.ends_with("mod") => {
                    pairs(dtype, |x, y| y != 0 && (x, y) != (lowest(dtype), -1))
                }
                _ => pairs(dtype, |_, _| true),
            };
            let result = x.iter().zip(&y).map(|(&x, &y)| wrapped(dtype, f(x, y))).collect();
            let operands = vec![operand(dtype, Whole(x)), operand(dtype, Whole(y))];
            cases.push(case(op, operands, json!({}), dtype, Whole(result)));
        }
    }
    for dtype in ints() {
        let clamped = samples(dtype).into_iter().map(|x| x.clamp(2, 100)).collect();
        let x = vec![operand(dtype, Whole(samples(dtype)))];
        cases.push(case("clamp", x, json!({"min": 2.0, "max": 100.0}), dtype, Whole(clamped)));
    }
    check(&cases, &[]);
}

#[test]
fn comparisons_and_choices() {
    type Compare = fn(f64, f64) -> bool;
    let compares: [(&'static str, Compare); 6] = [
        ("lt", |x, y| x < y),
        ("gt", |x, y| x > y),
        ("le", |x, y| x <= y),
        ("ge", |x, y| x >= y),
        ("eq", |x, y| x == y),
        ("ne", |x, y| x != y),
    ];
    let (x, y) = ([0., 1., 1., 0., 127., 1.], [0., 0., 1., 1., 1., 127.]);
    let mut cases = Vec::new();
    for (op, f) in compares {
        for dtype in if op == "eq" || op == "ne" { all() } else { numbers() } {
            // Bools are 0 and 1; numbers reach below 0 and to the ends.
            let (mut x, mut y) = (of(dtype, &x), of(dtype, &y));
            let mut result: Vec<i128> = match (&x, &y) {
                (Whole(x), Whole(y)) => {
                    x.iter().zip(y).map(|(&x, &y)| f(x as f64, y as f64).into()).collect()
                }
                (Real(x), Real(y)) => x.iter().zip(y).map(|(&x, &y)| f(x, y).into()).collect(),
                _ => unreachable!(),
            };
            match (&mut x, &mut y) {
                (Whole(x), Whole(y)) => {
                    x.extend([lowest(dtype), largest(dtype)]);
                    y.extend([largest(dtype), lowest(dtype)]);
                    result.extend([f(0., 1.), f(1., 0.)].map(i128::from));
                }
                (Real(x), Real(y)) => {
                    x.extend([-0.0, f64::NEG_INFINITY, f64::NAN]);
                    y.extend([0.0, f64::INFINITY, 1.0]);
                    result.extend([f(0., 0.), f(0., 1.), f(f64::NAN, 1.)].map(i128::from));
                }
                _ => unreachable!(),
            }
            cases.push(case(
                op,
                vec![operand(dtype, x), operand(dtype, y)],
                json!({}),
                "bool",
                Whole(result),
            ));
        }
    }
    for dtype in all() {
        let condition = operand("bool", Whole(vec![1, 0, 1, 0]));
        let (x, y) =
            (operand(dtype, of(dtype, &[0., 1., 5., -3.])), operand(dtype, of(dtype, &[1., 0., 0., 1.])));
        let result = of(dtype, &[0., 0., 5., 1.]);
        let mut case = case("where", vec![condition, x, y], json!({}), dtype, result);
        case.dtype = dtype;
        cases.push(case);
    }
    let bits = |op, result: [i128; 4]| {
        let operands = [vec![0, 0, 1, 1], vec![0, 1, 0, 1]].map(|list| operand("bool", Whole(list)));
        case(op, operands.into(), json!({}), "bool", Whole(result.to_vec()))
    };
    cases.extend([bits("and", [0, 0, 0, 1]), bits("or", [0, 1, 1, 1]), bits("xor", [0, 1, 1, 0])]);
    cases.push(case(
        "logical_not",
        vec![operand("bool", Whole(vec![0, 1]))],
        json!({}),
        "bool",
        Whole(vec![1, 0]),
    ));
    for dtype in FLOATS {
        let x = || vec![operand(dtype, Real(vec![1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]))];
        cases.push(case("isnan", x(), json!({}), "bool", Whole(vec![0, 1, 0, 0])));
        cases.push(case("isinf", x(), json!({}), "bool", Whole(vec![0, 0, 1, 1])));
    }
    cases.sort_by_key(|case| case.op);
    check(&cases, &[]);
}

#[test]
fn casts() {
    let mut cases = Vec::new();
    for from in all() {
        for to in all() {
            let values: &[f64] = match (from, to) {
                ("bool", _) => &[0., 1., 1.],
                _ if is_float(from) && !is_float(to) && to != "bool" && lowest(to) == 0 => &[0., 1.75, 100.5],
                _ if is_float(from) && to != "bool" => &[-2.75, 1.75, 100.5, -0.5],
                _ => &[-1., 0., 3., 200.],
            };
            let x = of(from, values);
            let result = match &x {
                Whole(x) if is_float(to) => Real(x.iter().map(|&x| rounded(to, x as f64)).collect()),
                Whole(x) => Whole(x.iter().map(|&x| wrapped(to, x)).collect()),
                Real(x) if is_float(to) => Real(x.iter().map(|&x| rounded(to, x)).collect()),
                Real(x) if to == "bool" => Whole(x.iter().map(|&x| i128::from(x != 0.0)).collect()),
                Real(x) => Whole(x.iter().map(|&x| x.trunc() as i128).collect()),
            };
            cases.push(case("cast", vec![operand(from, x)], json!({"to": to}), to, result));
        }
    }
    for (from, to) in numbers().into_iter().flat_map(|from| numbers().into_iter().map(move |to| (from, to))) {
        if width(from) == width(to) {
            let data = Whole(vec![0, 1, 5, 77]);
            let whole = format!("i{}", width(from));
            let (x, y) = (of_bits(from, &whole, &data), of_bits(to, &whole, &data));
            cases.push(case("bitcast", vec![operand(from, x)], json!({"to": to}), to, y));
        }
    }
    // What is `(__bf16)x` of a _Float16 in C: clang-19 gives its bits, or breaks down, as for the other direction.
    check(&cases, &[r#"cast f16 {"to":"bf16"}"#, r#"cast bf16 {"to":"f16"}"#]);
}

/// What the bits of whole numbers are in another dtype of that width.
fn of_bits(dtype: &str, whole: &str, data: &Numbers) -> Numbers {
    from_bytes(dtype, &bytes(whole, data))
}

/// Of the approximations that Morok has for all dtypes alike (morok-tensor 0.1.0-alpha.2, src/math.rs and
/// src/activation.rs; Abramowitz and Stegun 4.4.46 and 7.1.26).
fn error(op: &str) -> f64 {
    match op {
        "asin" | "acos" | "atan" => 3e-8,
        "erf" => 3e-7,
        "gelu" => 1e-11, // sqrt(2/pi) to ten digits
        _ => 0.0,
    }
}

#[test]
fn floats() {
    type Of = fn(&[f64]) -> f64;
    const ANY: &[f64] = &[-3.0, -1.5, -0.5, 0.0, 0.25, 1.0, 2.5, 6.5];
    const POSITIVE: &[f64] = &[0.25, 0.5, 1.0, 1.5, 3.0, 6.5, 10.0, 100.0];
    const UNIT: &[f64] = &[-0.75, -0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 0.875];
    const ABOVE_ONE: &[f64] = &[1.25, 1.5, 2.0, 3.0, 4.0, 6.5, 8.0, 10.0];
    const HALVES: &[f64] = &[-2.5, -1.5, -0.5, 0.5, 1.5, 2.25, 2.5, 3.75];
    // Operation, samples, function of operand, what it may be off by; the ends of approximations are in ulp-morok.md.
    let table: [(&'static str, &[f64], Of, f64); 36] = [
        ("neg", ANY, |x| -x[0], 0.0),
        ("abs", ANY, |x| x[0].abs(), 0.0),
        ("sign", ANY, |x| if x[0] == 0.0 { 0.0 } else { x[0].signum() }, 0.0),
        ("square", ANY, |x| x[0] * x[0], 0.5),
        ("relu", ANY, |x| x[0].max(0.0), 0.0),
        ("relu6", ANY, |x| x[0].clamp(0.0, 6.0), 2.0),
        ("sqrt", POSITIVE, |x| x[0].sqrt(), 1.0),
        ("rsqrt", POSITIVE, |x| 1.0 / x[0].sqrt(), 2.0),
        ("reciprocal", POSITIVE, |x| 1.0 / x[0], 1.0),
        ("exp", ANY, |x| x[0].exp(), 1.0),
        ("exp2", ANY, |x| x[0].exp2(), 1.0),
        ("log", POSITIVE, |x| x[0].ln(), 1.0),
        ("log2", POSITIVE, |x| x[0].log2(), 1.0),
        ("sin", ANY, |x| x[0].sin(), 1.0),
        ("cos", ANY, |x| x[0].cos(), 1.0),
        ("tan", ANY, |x| x[0].tan(), 2.0),
        ("asin", UNIT, |x| x[0].asin(), 4.0),
        ("acos", UNIT, |x| x[0].acos(), 4.0),
        ("atan", ANY, |x| x[0].atan(), 4.0),
        ("sinh", ANY, |x| x[0].sinh(), 3.0),
        ("cosh", ANY, |x| x[0].cosh(), 3.0),
        ("asinh", ANY, |x| x[0].asinh(), 8.0),
        ("acosh", ABOVE_ONE, |x| x[0].acosh(), 4.0),
        ("atanh", UNIT, |x| x[0].atanh(), 4.0),
        ("floor", HALVES, |x| x[0].floor(), 0.0),
        ("ceil", HALVES, |x| x[0].ceil(), 0.0),
        ("trunc", HALVES, |x| x[0].trunc(), 0.0),
        ("round", HALVES, |x| x[0].round_ties_even(), 0.0),
        ("sigmoid", ANY, |x| 1.0 / (1.0 + (-x[0]).exp()), 4.0),
        ("tanh", ANY, |x| x[0].tanh(), 4.0),
        (
            "gelu",
            ANY,
            |x| {
                x[0] / (1.0
                    + (-2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x[0] + 0.044715 * x[0].powi(3))).exp())
            },
            8.0,
        ),
        ("silu", ANY, |x| x[0] / (1.0 + (-x[0]).exp()), 4.0),
        ("softsign", ANY, |x| x[0] / (1.0 + x[0].abs()), 2.0),
        ("hardswish", ANY, |x| x[0] * (x[0] + 3.0).clamp(0.0, 6.0) / 6.0, 4.0),
        ("mish", ANY, |x| x[0] * x[0].exp().ln_1p().tanh(), 8.0),
        // To nine places of the known values: there is no erf to call.
        (
            "erf",
            &[0.0, 0.5, 1.0, -2.0],
            |x| match x[0].abs() {
                0.0 => 0.0,
                0.5 => 0.520499878,
                1.0 => 0.842700793,
                _ => -0.995322265,
            },
            4.0,
        ),
    ];
    let mut cases = Vec::new();
    let mut add = |op: &'static str,
                   lists: &[&[f64]],
                   attrs: Value,
                   f: &dyn Fn(&[f64]) -> f64,
                   tolerance: f64| {
        for dtype in FLOATS {
            let operands: Vec<Operand> = lists.iter().map(|list| operand(dtype, of(dtype, list))).collect();
            let at = |k: usize| {
                let x: Vec<f64> =
                    operands.iter().map(|x| if let Real(list) = &x.data { list[k] } else { 0.0 }).collect();
                rounded(dtype, f(&x))
            };
            let result = Real((0..lists[0].len()).map(at).collect());
            let mut case = case(op, operands, attrs.clone(), dtype, result);
            (case.tolerance, case.error) = (tolerance, error(op));
            cases.push(case);
        }
    };
    for (op, list, f, tolerance) in table {
        add(op, &[list], json!({}), &f, tolerance);
    }
    let other: &[f64] = &[2.0, -0.5, 0.5, 1.0, -1.5, 3.0, 2.5, 0.25];
    add("add", &[ANY, other], json!({}), &|x| x[0] + x[1], 0.5);
    add("sub", &[ANY, other], json!({}), &|x| x[0] - x[1], 0.5);
    add("mul", &[ANY, other], json!({}), &|x| x[0] * x[1], 0.5);
    add("div", &[ANY, other], json!({}), &|x| x[0] / x[1], 1.0);
    add("pow", &[POSITIVE, other], json!({}), &|x| x[0].powf(x[1]), 4.0);
    add("maximum", &[ANY, other], json!({}), &|x| x[0].max(x[1]), 0.0);
    add("minimum", &[ANY, other], json!({}), &|x| x[0].min(x[1]), 0.0);
    add("lerp", &[ANY, other, UNIT], json!({}), &|x| x[0] + (x[1] - x[0]) * x[2], 4.0);
    add("clamp", &[ANY], json!({"min": "-inf", "max": 2.0}), &|x| x[0].min(2.0), 0.0);
    add("softplus", &[ANY], json!({"beta": 2.0}), &|x| (2.0 * x[0]).exp().ln_1p() / 2.0, 4.0);
    add(
        "hardsigmoid",
        &[ANY],
        json!({"alpha": 0.25, "beta": 0.5}),
        &|x| (0.25 * x[0] + 0.5).clamp(0.0, 1.0),
        2.0,
    );
    add("leaky_relu", &[ANY], json!({"slope": 0.25}), &|x| if x[0] > 0.0 { x[0] } else { 0.25 * x[0] }, 1.0);
    add("elu", &[ANY], json!({"alpha": 2.0}), &|x| if x[0] > 0.0 { x[0] } else { 2.0 * x[0].exp_m1() }, 4.0);
    add(
        "celu",
        &[ANY],
        json!({"alpha": 2.0}),
        &|x| if x[0] > 0.0 { x[0] } else { 2.0 * (x[0] / 2.0).exp_m1() },
        4.0,
    );
    check(&cases, &[]);
}
