//! Products, norms, losses and windows in every dtype that they take, on small whole numbers, against
//! loops over f64. Needs clang-19, or a `clang` on PATH.

mod common;

use common::rows::*;
use common::values::*;
use serde_json::{Value, json};

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
