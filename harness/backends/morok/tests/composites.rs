//! Reduces, scans, products, windows, norms and indexing in every dtype that they take, on small whole numbers, against
//! loops over f64. Needs clang-19, or a `clang` on PATH.

mod common;

use common::values::*;
use serde_json::{Value, json};

/// One operation on operands of one dtype, but for those named `i32` or `bool`.
struct Row<'a> {
    op: &'static str,
    dtypes: &'a [&'static str],
    operands: Vec<(&'static str, Vec<usize>, Vec<f64>)>,
    attrs: Value,
    to: &'static str,
    shape: Vec<usize>,
    result: Vec<f64>,
}

/// Where a row names no dtype it is that of the case.
const SAME: &str = "";

fn cases(rows: &[Row]) -> Vec<Case> {
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

fn row<'a>(
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
fn with<'a>(mut row: Row<'a>, k: usize, dtype: &'static str) -> Row<'a> {
    row.operands[k].0 = dtype;
    row
}
fn to<'a>(mut row: Row<'a>, dtype: &'static str) -> Row<'a> {
    row.to = dtype;
    row
}

const M: &[usize] = &[2, 3];
const X: &[f64] = &[3., 1., 2., 5., 5., 0.];

const SIGNED_NUMBERS: [&str; 8] = ["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"];
const Y: &[f64] = &[-3., 1., -2., -5., -5., -1.];

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
    check(&cases(&rows), &[]);
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
        let axis = json!({"axis": 0, "keepdim": false, "descending": false});
        add("argmax", &axis, "i32", &[], &[0]);
        add("argmin", &axis, "i32", &[], &[1]);
        add("sort", &axis, dtype, &[4], &[low, low + 1, high - 1, high]);
        add("argsort", &axis, "i32", &[4], &[1, 3, 2, 0]);
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
    check(&cases, &[]);
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
    check(&cases(&rows), &[]);
}

fn matmul(a: &[f64], b: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
    (0..m * n).map(|place| at(place / n, place % n)).collect()
}

#[test]
fn products_and_norms() {
    let numbers = numbers();
    let (y, bias): (&[f64], &[f64]) = (&[1., 0., 2., 1., 4., 3.], &[10., 20.]);
    let product = matmul(X, y, 2, 3, 2);
    let biased: Vec<f64> = product.iter().zip(bias.iter().cycle()).map(|(p, b)| p + b).collect();
    let batch = [product.clone(), matmul(y, X, 2, 3, 2)].concat();
    let inputs = [[X, y].concat(), [y, X].concat()];
    let transposed = [product[0], product[2], product[1], product[3]];
    let norm = |centred: bool| -> Vec<f64> {
        let of_row = |x: &[f64]| -> Vec<f64> {
            let mean = if centred { x.iter().sum::<f64>() / 3.0 } else { 0.0 };
            let square = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 3.0;
            x.iter().map(|x| (x - mean) / (square + 0.5).sqrt()).collect()
        };
        [of_row(&X[..3]), of_row(&X[3..])].concat()
    };
    let v: &[usize] = &[3];
    let channels: Vec<f64> =
        X.iter().zip([1., 2., 3.].iter().cycle()).map(|(x, c)| (x - c) * (c * 2.0) + 1.0).collect();
    let (three, ones, twos): (&[f64], &[f64], &[f64]) = (&[1., 2., 3.], &[1.; 3], &[2.; 3]);
    let narrow = &FLOATS[..3];
    let picked = |reduction: &str| json!({"reduction": reduction});
    let loss = |x: &[f64], target: usize| x.iter().map(|x| x.exp()).sum::<f64>().ln() - x[target];
    let (first, second) = (loss(&X[..3], 2), loss(&X[3..], 0));
    let index: (&[usize], &[f64]) = (&[2], &[2., 0.]);
    let rows = [
        row("matmul", &numbers, &[(M, X), (&[3, 2], y)], json!({}), &[2, 2], &product),
        row(
            "matmul",
            &numbers,
            &[(&[2, 2, 3], &inputs[0]), (&[2, 3, 2], &inputs[1])],
            json!({}),
            &[2, 2, 2],
            &batch,
        ),
        row("linear", &FLOATS, &[(M, X), (&[3, 2], y), (&[2], bias)], json!({}), &[2, 2], &biased),
        row("linear", &FLOATS, &[(M, X), (&[3, 2], y)], json!({}), &[2, 2], &product),
        row("dot", &numbers, &[(&[6], X), (&[6], y)], json!({}), &[], &[3. + 4. + 5. + 20.]),
        row(
            "einsum",
            &numbers,
            &[(M, X), (&[3, 2], y)],
            json!({"formula": "ij_jk_ki"}),
            &[2, 2],
            &transposed,
        ),
        row("einsum", &numbers, &[(M, X)], json!({"formula": "ij_j"}), &[3], &[8., 6., 2.]),
        row("layernorm", narrow, &[(M, X)], json!({"eps": 0.5}), M, &norm(true)),
        row("rms_norm", narrow, &[(M, X)], json!({"eps": 0.5}), M, &norm(false)),
        row(
            "batchnorm",
            &FLOATS,
            &[(M, X), (v, three), (v, ones), (v, three), (v, twos)],
            json!({}),
            M,
            &channels,
        ),
        with(row("nll_loss", &FLOATS, &[(M, X), index], picked("mean"), &[], &[-(2. + 5.) / 2.]), 1, "i32"),
        with(row("nll_loss", &FLOATS, &[(M, X), index], picked("sum"), &[], &[-7.]), 1, "i32"),
        with(row("nll_loss", &FLOATS, &[(M, X), index], picked("none"), &[2], &[-2., -5.]), 1, "i32"),
        with(
            row("cross_entropy", &FLOATS, &[(M, X), index], picked("mean"), &[], &[(first + second) / 2.0]),
            1,
            "i32",
        ),
        with(
            row("cross_entropy", &FLOATS, &[(M, X), index], picked("none"), &[2], &[first, second]),
            1,
            "i32",
        ),
    ];
    check(&cases(&rows), &[]);
}

/// softmax(q k^T / sqrt(e)) v of two rows of three, where `seen`.
fn attention(q: &[f64], k: &[f64], v: &[f64], seen: [bool; 4]) -> Vec<f64> {
    let mut result = vec![0.0; 6];
    for i in 0..2 {
        let score = |j: usize| (0..3).map(|e| q[i * 3 + e] * k[j * 3 + e]).sum::<f64>() / 3f64.sqrt();
        let weights: Vec<f64> = (0..2).map(|j| if seen[i * 2 + j] { score(j).exp() } else { 0.0 }).collect();
        for place in 0..3 {
            result[i * 3 + place] =
                (0..2).map(|j| weights[j] * v[j * 3 + place]).sum::<f64>() / weights.iter().sum::<f64>();
        }
    }
    result
}

#[test]
fn attention_has_its_masks() {
    let (q, k, v): (&[f64], &[f64], &[f64]) = (&[0.5, 0., 1., 0.25, 1., 0.], &[1., 0., 0.5, 0., 1., 0.], X);
    let mask: (&[usize], &[f64]) = (&[2, 2], &[0., 1., 1., 1.]);
    let causal = |causal: bool| json!({"causal": causal});
    let operands = [(M, q), (M, k), (M, v)];
    let rows = [
        row("sdpa", &FLOATS, &operands, causal(false), M, &attention(q, k, v, [true; 4])),
        row("sdpa", &FLOATS, &operands, causal(true), M, &attention(q, k, v, [true, false, true, true])),
        with(
            row(
                "sdpa",
                &FLOATS,
                &[&operands[..], &[mask]].concat(),
                causal(false),
                M,
                &attention(q, k, v, [false, true, true, true]),
            ),
            3,
            "bool",
        ),
    ];
    check(&cases(&rows), &[]);
}

#[test]
fn windows() {
    let image: Vec<f64> = (0..24).map(|k| f64::from(k * 7 % 5 - 2)).collect(); // [1,2,3,4]
    let weight: Vec<f64> = (0..16).map(|k| f64::from(k % 3 - 1)).collect(); // [2,2,2,2]
    let at = |c: usize, i: isize, j: isize| {
        let inside = (0..3).contains(&i) && (0..4).contains(&j);
        inside.then(|| image[c * 12 + i as usize * 4 + j as usize])
    };
    let w = |o: usize, c: usize, a: usize, b: usize| weight[((o * 2 + c) * 2 + a) * 2 + b];
    // stride [2,1], dilation [1,2], padding [[1,0],[0,1]] on 2 by 2: places [2,3].
    let places = || (0..2usize).flat_map(|i| (0..3usize).map(move |j| (i, j)));
    let taken = |c: usize, i: usize, j: usize, a: usize, b: usize| {
        at(c, (2 * i + a) as isize - 1, (j + 2 * b) as isize)
    };
    let taps = || (0..2usize).flat_map(|a| (0..2usize).map(move |b| (a, b)));
    let walk = |more: Value| {
        let mut attrs = json!({"stride": [2, 1], "dilation": [1, 2], "padding": [[1, 0], [0, 1]]});
        attrs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        attrs
    };
    let mut conv = Vec::new();
    let mut grouped = Vec::new();
    let (mut mean, mut mean_inside, mut most) = (Vec::new(), Vec::new(), Vec::new());
    for o in 0..2 {
        for (i, j) in places() {
            let of_channel = |c: usize, row: usize| -> f64 {
                taps().map(|(a, b)| taken(c, i, j, a, b).unwrap_or(0.0) * w(o, row, a, b)).sum()
            };
            conv.push(of_channel(0, 0) + of_channel(1, 1) + [5., -5.][o]);
            grouped.push(
                taps().map(|(a, b)| taken(o, i, j, a, b).unwrap_or(0.0) * weight[(o * 2 + a) * 2 + b]).sum(),
            );
            let inside: Vec<f64> = taps().filter_map(|(a, b)| taken(o, i, j, a, b)).collect();
            let sum: f64 = inside.iter().sum();
            mean.push(sum / 4.0);
            mean_inside.push(sum / inside.len() as f64);
            most.push(inside.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }
    // Each element of [1,2,2,2] adds its weights [2,2,2,2]; stride [2,1], dilation [1,2], padding [[1,0],[0,1]],
    // output_padding [1,0]: (2-1)*2+1*1+1-1+1 = 4 by (2-1)*1+2*1+1-1 = 3.
    let small = &image[..8];
    let mut spread = vec![0.0; 2 * 4 * 3];
    for (o, c) in taps() {
        for (i, j) in taps() {
            for (a, b) in taps() {
                let (row, column) = (2 * i + a, j + 2 * b);
                if row >= 1 && row - 1 < 4 && column < 3 {
                    spread[(o * 4 + row - 1) * 3 + column] += small[(c * 2 + i) * 2 + j] * w(c, o, a, b);
                }
            }
        }
    }
    let x: (&[usize], &[f64]) = (&[1, 2, 3, 4], &image);
    let line: Vec<f64> = (0..4)
        .map(|i| {
            (0..3)
                .map(|a| if (1..=4).contains(&(i + a)) { image[i + a - 1] } else { 0.0 } * [1., 2., -1.][a])
                .sum()
        })
        .collect();
    let pool = |more: Value| {
        let mut attrs = walk(json!({"kernel": [2, 2]}));
        attrs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        attrs
    };
    let float_and_i32 = ["f16", "bf16", "f32", "f64", "i32"];
    let bias: (&[usize], &[f64]) = (&[2], &[5., -5.]);
    let rows = [
        row(
            "conv",
            &FLOATS,
            &[x, (&[2, 2, 2, 2], &weight), bias],
            walk(json!({"groups": 1})),
            &[1, 2, 2, 3],
            &conv,
        ),
        row(
            "conv",
            &FLOATS,
            &[x, (&[2, 1, 2, 2], &weight[..8])],
            walk(json!({"groups": 2})),
            &[1, 2, 2, 3],
            &grouped,
        ),
        row(
            "conv",
            &FLOATS,
            &[(&[1, 1, 4], &image[..4]), (&[1, 1, 3], &[1., 2., -1.])],
            json!({"stride": [1], "dilation": [1], "padding": [[1, 1]], "groups": 1}),
            &[1, 1, 4],
            &line,
        ),
        row(
            "conv_transpose",
            &FLOATS,
            &[(&[1, 2, 2, 2], small), (&[2, 2, 2, 2], &weight)],
            walk(json!({"groups": 1, "output_padding": [1, 0]})),
            &[1, 2, 4, 3],
            &spread,
        ),
        row("avg_pool", &FLOATS, &[x], pool(json!({"count_include_pad": true})), &[1, 2, 2, 3], &mean),
        row(
            "avg_pool",
            &FLOATS,
            &[x],
            pool(json!({"count_include_pad": false})),
            &[1, 2, 2, 3],
            &mean_inside,
        ),
        row("max_pool", &float_and_i32, &[x], pool(json!({})), &[1, 2, 2, 3], &most),
    ];
    check(&cases(&rows), &[]);
}

#[test]
fn indexing() {
    let numbers = numbers();
    let axis = |axis: usize| json!({"axis": axis});
    let reduce = |axis: usize, reduce: &str, include_self: bool| json!({"axis": axis, "reduce": reduce, "include_self": include_self});
    let square: &[usize] = &[2, 2];
    let (index, source): ((&[usize], &[f64]), (&[usize], &[f64])) =
        ((square, &[2., 2., 0., 5.]), (square, &[7., 4., 9., 6.]));
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
    check(&cases(&rows), &[]);
}
