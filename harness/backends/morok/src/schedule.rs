//! The scheduled kernels of a program before optimisation, as `Tensor::prepare_batch` makes them
//! (morok-tensor 0.1.0-alpha.2, src/realize.rs: SINK of CONTIGUOUS, BUFFER to PARAM, rangeify, kernel split).

use std::collections::HashMap;
use std::sync::Arc;

use morok_ir::{Op, UOp, UOpKey};
use morok_tensor::Tensor;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::graph;
use crate::program::Built;

/// Replaces each BUFFER by a PARAM; returns which BUFFER each slot stands for.
#[allow(clippy::mutable_key_type)] // UOpKey compares by id
fn buffers_to_params(sink: &Arc<UOp>) -> (Arc<UOp>, Vec<u64>) {
    let (mut map, mut slots) = (HashMap::new(), Vec::new());
    for node in sink.toposort() {
        if let Op::Buffer { size, device, .. } = node.op() {
            let param = UOp::param(slots.len(), *size, node.dtype(), Some(device.clone()));
            slots.push(node.id);
            map.insert(UOpKey(node), param);
        }
    }
    (sink.substitute(&map), slots)
}

/// What a buffer of the kernelised graph is, by the id of its UOp.
struct Buffers {
    kinds: HashMap<u64, Value>,
    temps: usize,
}

impl Buffers {
    fn kind(&mut self, buffer: &UOp) -> Value {
        let temps = &mut self.temps;
        let known = self.kinds.entry(buffer.id).or_insert_with(|| {
            *temps += 1;
            json!({"kind": "temp", "index": *temps - 1})
        });
        let mut kind = known.clone();
        let dtype = buffer.dtype();
        kind["dtype"] = json!(graph::dtype_name(&dtype));
        kind["size"] = json!(buffer_size(buffer));
        kind
    }
}

fn buffer_size(buffer: &UOp) -> usize {
    match buffer.op() {
        Op::Param { size, .. } | Op::Buffer { size, .. } | Op::BufferView { size, .. } => *size,
        _ => 0,
    }
}

/// An output that is a buffer already, or a reshape of one, is not scheduled at all; nor does tinygrad copy one.
pub fn is_pending(tensor: &Tensor) -> bool {
    !tensor.uop().has_buffer_identity()
}

fn input_slots(built: &Built, slots: &[u64]) -> HashMap<usize, String> {
    let by_buffer: HashMap<u64, &String> =
        built.inputs.iter().map(|(name, tensor)| (tensor.uop().base().id, name)).collect();
    let named = |(slot, id): (usize, &u64)| by_buffer.get(id).map(|name| (slot, name.to_string()));
    slots.iter().enumerate().filter_map(named).collect()
}

/// The kernels of all outputs together, in the form of the protocol.
pub fn kernels(built: &Built) -> Result<Value, Failure> {
    let pending: Vec<(usize, Arc<UOp>)> = built
        .outputs
        .iter()
        .enumerate()
        .filter(|(_, tensor)| is_pending(tensor))
        .map(|(index, tensor)| (index, tensor.uop().contiguous()))
        .collect();
    if pending.is_empty() {
        return Ok(json!([]));
    }
    let sink = UOp::sink(pending.iter().map(|(_, uop)| uop.clone()).collect());
    let (sink, slots) = buffers_to_params(&sink);
    let rangeified = morok_schedule::rangeify_with_map(sink, None)
        .map_err(|error| Failure::rejected(format!("Rangeify failed: {error}")))?;
    let (root, _) = morok_schedule::run_kernel_split_pipeline(rangeified.sink);

    let inputs = input_slots(built, &slots);
    let mut buffers = Buffers { kinds: HashMap::new(), temps: 0 };
    for node in root.toposort() {
        if let Op::Param { slot, device: Some(_), .. } = node.op()
            && let Some(name) = inputs.get(slot)
        {
            buffers.kinds.insert(node.id, json!({"kind": "input", "name": name}));
        }
    }
    let roots: Vec<Arc<UOp>> = match root.op() {
        Op::Sink { sources } => sources.iter().map(|source| source.buf_uop()).collect(),
        _ => vec![root.buf_uop()],
    };
    for ((index, _), buffer) in pending.iter().zip(&roots) {
        buffers.kinds.entry(buffer.id).or_insert_with(|| json!({"kind": "output", "index": index}));
    }
    // In a topological order each AFTER stands behind its kernel, and what reads its buffer behind the AFTER.
    let kernels = root.toposort().into_iter().filter(|node| matches!(node.op(), Op::Kernel { .. }));
    Ok(kernels.map(|kernel| emit_kernel(&kernel, &mut buffers)).collect())
}

fn emit_kernel(kernel: &Arc<UOp>, buffers: &mut Buffers) -> Value {
    let Op::Kernel { sources, ast } = kernel.op() else { return Value::Null };
    let is_buffer = |op: &Op| {
        matches!(op, Op::Buffer { .. } | Op::Param { .. } | Op::After { .. } | Op::BufferView { .. })
    };
    let list: Vec<Value> = sources
        .iter()
        .filter(|source| is_buffer(source.op()))
        .map(|source| buffers.kind(&source.buf_uop()))
        .collect();
    match ast.op() {
        Op::Copy { .. } => json!({"name": "", "opaque": "COPY", "buffers": list}),
        Op::BufferView { .. } => json!({"name": "", "opaque": "BUFFER_VIEW", "buffers": list}),
        _ => json!({"name": "", "graph": graph::emit(ast), "buffers": list}),
    }
}
