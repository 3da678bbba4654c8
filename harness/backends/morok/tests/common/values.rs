//! Values of every dtype, and cases: one operation in one dtype with the result it must have.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::Program;

pub const UNSIGNED: [&str; 4] = ["u8", "u16", "u32", "u64"];
pub const SIGNED: [&str; 4] = ["i8", "i16", "i32", "i64"];
pub const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

pub fn ints() -> Vec<&'static str> {
    [UNSIGNED, SIGNED].concat()
}
pub fn numbers() -> Vec<&'static str> {
    [UNSIGNED, SIGNED, FLOATS].concat()
}
pub fn all() -> Vec<&'static str> {
    [vec!["bool"], numbers()].concat()
}

/// Floats as f64, everything else as whole numbers (bool: 0 and 1).
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    Whole(Vec<i128>),
    Real(Vec<f64>),
}
use Numbers::{Real, Whole};

pub fn is_float(dtype: &str) -> bool {
    FLOATS.contains(&dtype)
}
pub fn width(dtype: &str) -> u32 {
    if dtype == "bool" { 1 } else { dtype.trim_start_matches(char::is_alphabetic).parse().unwrap() }
}
/// Digits of the mantissa with the leading one, least exponent.
fn format(dtype: &str) -> (i32, i32) {
    match dtype {
        "f16" => (11, -14),
        "bf16" => (8, -126),
        "f32" => (24, -126),
        _ => (53, -1022),
    }
}
pub fn epsilon(dtype: &str) -> f64 {
    if is_float(dtype) { 2f64.powi(1 - format(dtype).0) } else { 0.0 }
}
pub fn lowest(dtype: &str) -> i128 {
    if dtype.starts_with('i') { -(1 << (width(dtype) - 1)) } else { 0 }
}
pub fn largest(dtype: &str) -> i128 {
    lowest(dtype) + (1 << width(dtype)) - 1
}
pub fn wrapped(dtype: &str, x: i128) -> i128 {
    if dtype == "bool" {
        i128::from(x != 0)
    } else {
        x.wrapping_sub(lowest(dtype)).rem_euclid(1 << width(dtype)) + lowest(dtype)
    }
}

fn step(dtype: &str, x: f64) -> f64 {
    let (digits, least) = format(dtype);
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(least);
    2f64.powi(exponent + 1 - digits)
}
/// To the nearest number of the dtype, halves to even.
pub fn rounded(dtype: &str, x: f64) -> f64 {
    if dtype == "f64" || !x.is_finite() {
        return x;
    }
    let near = (x / step(dtype, x)).round_ties_even() * step(dtype, x);
    let (_, least) = format(dtype);
    let beyond = 2f64.powi(2 - least); // 2^16 of f16, 2^128 of the others
    if near.abs() >= beyond { f64::INFINITY.copysign(x) } else { near }
}

/// Numbers as they are in the dtype: whole numbers wrap, floats are rounded.
pub fn of(dtype: &str, values: &[f64]) -> Numbers {
    if is_float(dtype) {
        Real(values.iter().map(|&x| rounded(dtype, x)).collect())
    } else {
        Whole(values.iter().map(|&x| wrapped(dtype, x as i128)).collect())
    }
}

fn bits_of(dtype: &str, x: f64) -> u64 {
    let (digits, least) = format(dtype);
    let sign = u64::from(x.is_sign_negative()) << (width(dtype) - 1);
    let exponent_ones = ((1u64 << (width(dtype) as i32 - digits)) - 1) << (digits - 1);
    if x.is_nan() {
        return exponent_ones | 1 << (digits - 2);
    }
    if x.is_infinite() {
        return sign | exponent_ones;
    }
    let places = (x.abs() / step(dtype, x)) as u64;
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(least) - least;
    sign | (places + ((exponent as u64) << (digits - 1)))
}
fn from_bits(dtype: &str, bits: u64) -> f64 {
    let (digits, least) = format(dtype);
    let exponent_bits = width(dtype) as i32 - digits;
    let sign = if bits >> (width(dtype) - 1) == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) =
        ((bits >> (digits - 1)) as i32 & ((1 << exponent_bits) - 1), bits & ((1 << (digits - 1)) - 1));
    if exponent == (1 << exponent_bits) - 1 {
        return if mantissa == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    let places = if exponent == 0 { mantissa } else { mantissa | 1 << (digits - 1) };
    let scale = exponent.max(1) - 1 + least + 1 - digits; // in two steps: f64's least one is below 2^-1022
    sign * places as f64 * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2)
}

pub fn bytes(dtype: &str, numbers: &Numbers) -> Vec<u8> {
    let count = width(dtype).div_ceil(8) as usize;
    match numbers {
        Whole(list) => list.iter().flat_map(|x| x.to_le_bytes()[..count].to_vec()).collect(),
        Real(list) => list
            .iter()
            .flat_map(|&x| {
                let bits = if dtype == "f64" { x.to_bits() } else { bits_of(dtype, x) };
                bits.to_le_bytes()[..count].to_vec()
            })
            .collect(),
    }
}
pub fn from_bytes(dtype: &str, data: &[u8]) -> Numbers {
    let words = data.chunks_exact(width(dtype).div_ceil(8) as usize).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    if is_float(dtype) {
        Real(words.map(|w| if dtype == "f64" { f64::from_bits(w) } else { from_bits(dtype, w) }).collect())
    } else {
        // A bool that is neither 0 nor 1 stays what it is.
        Whole(words.map(|w| if dtype == "bool" { w.into() } else { wrapped(dtype, w.into()) }).collect())
    }
}

pub struct Operand {
    pub dtype: &'static str,
    pub shape: Vec<usize>,
    pub data: Numbers,
}

pub struct Case {
    pub op: &'static str,
    /// That of the first operand, of a source that of the result.
    pub dtype: &'static str,
    pub operands: Vec<Operand>,
    pub attrs: Value,
    pub to: &'static str,
    pub shape: Vec<usize>,
    pub result: Numbers,
    /// In units of the last place of the result, or of 1 when the result is less.
    pub tolerance: f64,
    /// What a formula of Morok is off by in any dtype.
    pub error: f64,
}

impl Case {
    pub fn name(&self) -> String {
        format!("{} {} {}", self.op, self.dtype, self.attrs)
    }
    fn add_to(&self, program: &mut Program, place: usize) -> String {
        let names: Vec<String> = (0..self.operands.len()).map(|k| format!("x{place}_{k}")).collect();
        for (name, x) in names.iter().zip(&self.operands) {
            program.input_of(name, x.dtype, &x.shape, &bytes(x.dtype, &x.data));
        }
        let (result, sources) = (format!("y{place}"), names.iter().map(String::as_str).collect::<Vec<_>>());
        program.node(&result, self.op, self.to, &self.shape, &sources, self.attrs.clone());
        result
    }
    fn problem(&self, output: &Value) -> Option<String> {
        if (&output["dtype"], &output["shape"]) != (&json!(self.to), &json!(self.shape)) {
            return Some(format!("{} of shape {}", output["dtype"], output["shape"]));
        }
        let found = from_bytes(self.to, &STANDARD.decode(output["data"].as_str().unwrap()).unwrap());
        let near = match (&found, &self.result) {
            (Real(found), Real(wanted)) => {
                let allowed = |y: f64| self.error + self.tolerance * epsilon(self.to) * y.abs().max(1.0);
                let close =
                    |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= allowed(y);
                found.len() == wanted.len() && found.iter().zip(wanted).all(|(&x, &y)| close(x, y))
            }
            (found, wanted) => found == wanted,
        };
        (!near).then(|| format!("{found:?}, not {:?}", self.result))
    }
}

/// Runs all cases of an operation as one program, and one by one when something is wrong there; the problems by name.
pub fn problems(cases: &[Case]) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    for group in cases.chunk_by(|a, b| a.op == b.op).flat_map(|group| group.chunks(16)) {
        if !run(group).is_empty() {
            problems.extend(group.iter().flat_map(|case| run(std::slice::from_ref(case))));
        }
    }
    problems
}

fn run(cases: &[Case]) -> Vec<(String, String)> {
    let mut program = Program::default();
    let outputs: Vec<String> =
        cases.iter().enumerate().map(|(k, case)| case.add_to(&mut program, k)).collect();
    let reply = program.answer(&outputs.iter().map(String::as_str).collect::<Vec<_>>());
    if reply["status"] != "ok" {
        let text = format!("{} in {}: {}", reply["status"], reply["step"], reply["message"]);
        return vec![(cases[0].name(), text)];
    }
    let found = |(k, case): (usize, &Case)| Some((case.name(), case.problem(&reply["outputs"][k])?));
    cases.iter().enumerate().filter_map(found).collect()
}

/// Nothing is wrong but what is known to be; of what is known everything still is.
pub fn check(cases: &[Case], known: &[&str]) {
    let problems = problems(cases);
    let unknown: Vec<_> = problems.iter().filter(|(name, _)| !known.contains(&name.as_str())).collect();
    let is_gone = |name: &&&str| !problems.iter().any(|(problem, _)| problem == **name);
    let gone: Vec<_> = known.iter().filter(is_gone).collect();
    unknown.iter().for_each(|(name, problem)| println!("{name}: {problem:.300}"));
    assert!(
        unknown.is_empty() && gone.is_empty(),
        "{} problems above; no fault any more: {gone:?}",
        unknown.len()
    );
}
