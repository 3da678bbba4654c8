//! UOp graphs of Morok in the protocol's form: `[[op, dtype, arg, [src...]], ...]`, nothing simplified.

use std::collections::HashMap;
use std::sync::Arc;

use morok_dtype::{DType, ScalarDType};
use morok_ir::{AxisType, ConstValue, Op, ReduceOp, UOp};
use serde_json::{Value, json};

pub fn dtype_name(dtype: &DType) -> String {
    let scalar = match dtype.base() {
        ScalarDType::Bool => "bool",
        ScalarDType::Int8 => "i8",
        ScalarDType::UInt8 => "u8",
        ScalarDType::Int16 => "i16",
        ScalarDType::UInt16 => "u16",
        ScalarDType::Int32 => "i32",
        ScalarDType::UInt32 => "u32",
        ScalarDType::Int64 => "i64",
        ScalarDType::UInt64 => "u64",
        ScalarDType::FP8E4M3 => "fp8e4m3",
        ScalarDType::FP8E5M2 => "fp8e5m2",
        ScalarDType::Float16 => "f16",
        ScalarDType::BFloat16 => "bf16",
        ScalarDType::Float32 => "f32",
        ScalarDType::Float64 => "f64",
        ScalarDType::Void => "void",
        ScalarDType::Index => "index",
    };
    if dtype.count() > 1 { format!("{scalar}x{}", dtype.count()) } else { scalar.to_string() }
}

fn const_json(value: &ConstValue) -> Value {
    match value {
        ConstValue::Int(v) => json!(v),
        ConstValue::UInt(v) => json!(v),
        ConstValue::Bool(v) => json!(v),
        ConstValue::Float(v) if v.is_nan() => json!("nan"),
        ConstValue::Float(v) if v.is_infinite() => json!(if *v > 0.0 { "inf" } else { "-inf" }),
        ConstValue::Float(v) => json!(v),
    }
}

fn axis_type_name(axis_type: AxisType) -> &'static str {
    match axis_type {
        AxisType::Outer => "OUTER",
        AxisType::Global => "GLOBAL",
        AxisType::Warp => "WARP",
        AxisType::Local => "LOCAL",
        AxisType::Loop => "LOOP",
        AxisType::GroupReduce => "GROUP_REDUCE",
        AxisType::Reduce => "REDUCE",
        AxisType::Upcast => "UPCAST",
        AxisType::Unroll => "UNROLL",
        AxisType::Thread => "THREAD",
        AxisType::Placeholder => "PLACEHOLDER",
    }
}

fn reduce_name(op: &ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "ADD",
        ReduceOp::Mul => "MUL",
        ReduceOp::Max => "MAX",
        ReduceOp::Min => "MIN",
    }
}

/// `Lt` and its like have the names of tinygrad's `Ops`; the others are the variant in capitals.
fn elementwise_name(variant: &str) -> String {
    match variant {
        "Lt" | "Le" | "Gt" | "Ge" | "Eq" | "Ne" => format!("CMP{}", variant.to_uppercase()),
        other => other.to_uppercase(),
    }
}

/// `MultiWord` to `MULTI_WORD`.
fn capitals(variant: &str) -> String {
    let mut out = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_uppercase());
    }
    out
}

fn name_and_arg(node: &UOp) -> (String, Value) {
    match node.op() {
        Op::Const(value) => ("CONST".into(), const_json(&value.0)),
        Op::VConst { values } => ("VCONST".into(), values.iter().map(const_json).collect()),
        Op::Invalid => ("CONST".into(), json!("Invalid")),
        Op::Param { slot, size, .. } => ("DEFINE_GLOBAL".into(), json!({"slot": slot, "size": size})),
        Op::Range { axis_id, axis_type, .. } => {
            ("RANGE".into(), json!([axis_id.value(), axis_type_name(*axis_type)]))
        }
        Op::Index { gate, .. } => {
            ("INDEX".into(), if gate.is_some() { json!({"gate": true}) } else { Value::Null })
        }
        Op::Load { alt, .. } => {
            ("LOAD".into(), if alt.is_some() { json!({"alt": true}) } else { Value::Null })
        }
        Op::Reduce { reduce_op, .. } => ("REDUCE".into(), json!(reduce_name(reduce_op))),
        Op::ReduceAxis { reduce_op, axes, .. } => {
            ("REDUCE_AXIS".into(), json!([reduce_name(reduce_op), axes]))
        }
        Op::DefineVar { name, min_val, max_val } => ("DEFINE_VAR".into(), json!([name, min_val, max_val])),
        Op::Unary(op, _) => (elementwise_name(op.as_ref()), Value::Null),
        Op::Binary(op, ..) => (elementwise_name(op.as_ref()), Value::Null),
        Op::Ternary(op, ..) => (elementwise_name(op.as_ref()), Value::Null),
        Op::BitCast { .. } => ("BITCAST".into(), Value::Null),
        other => (capitals(other.as_ref()), Value::Null),
    }
}

/// The graph below `root` in topological order, `root` last. A device is no part of a kernel's meaning.
pub fn emit(root: &Arc<UOp>) -> Value {
    let mut position: HashMap<u64, usize> = HashMap::new();
    let mut nodes = Vec::new();
    for node in root.toposort() {
        if matches!(node.op(), Op::Device(_)) {
            continue;
        }
        let children = node.op().children();
        let src: Vec<usize> = children.iter().filter_map(|child| position.get(&child.id).copied()).collect();
        let (name, arg) = name_and_arg(&node);
        position.insert(node.id, nodes.len());
        nodes.push(json!([name, dtype_name(&node.dtype()), arg, src]));
    }
    Value::Array(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(elementwise_name("Lt"), "CMPLT");
        assert_eq!(elementwise_name("MulAcc"), "MULACC");
        assert_eq!(capitals("BufferView"), "BUFFER_VIEW");
        assert_eq!(dtype_name(&DType::Float32.vec(4)), "f32x4");
    }

    #[test]
    fn constants_that_json_lacks_are_words() {
        assert_eq!(const_json(&ConstValue::Float(f64::NEG_INFINITY)), json!("-inf"));
        assert_eq!(const_json(&ConstValue::Float(f64::NAN)), json!("nan"));
        assert_eq!(const_json(&ConstValue::Int(-3)), json!(-3));
    }

    #[test]
    fn a_graph_lists_sources_before_users() {
        let a = UOp::const_(DType::Int32, ConstValue::Int(2));
        let sum = a.try_add(&UOp::const_(DType::Int32, ConstValue::Int(3))).unwrap();
        let graph = emit(&sum);
        assert_eq!(
            graph,
            json!([["CONST", "i32", 2, []], ["CONST", "i32", 3, []], ["ADD", "i32", null, [0, 1]]])
        );
    }
}
