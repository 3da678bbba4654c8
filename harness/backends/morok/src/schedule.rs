//! The scheduled kernels of a program before optimisation, made as `Tensor::prepare_batch` makes them
//! (morok-tensor 0.1.0-alpha.2, src/realize.rs: SINK of CONTIGUOUS, BUFFER to PARAM, rangeify, kernel split).

use std::collections::HashMap;
use std::sync::Arc;

use morok_ir::{Op, UOp, UOpKey};
use morok_tensor::Tensor;
use morok_tensor::schedule::{InputBuffers, ScheduleItem, create_schedule};
use morok_tensor::tensor_registry;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::graph;
use crate::program::Built;

/// Replaces each BUFFER by a PARAM; returns the id of the BUFFER that each slot stands for.
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

/// What the variables of symbolic shapes are bound to.
fn bound_values(sink: &Arc<UOp>) -> HashMap<String, i64> {
    let bound = |node: Arc<UOp>| match node.op() {
        Op::Bind { var, value } => match (var.op(), value.op()) {
            (Op::DefineVar { name, .. }, Op::Const(value)) => Some((name.clone(), value.0.try_int()?)),
            _ => None,
        },
        _ => None,
    };
    sink.toposort().into_iter().filter_map(bound).collect()
}

/// An output that is a buffer already, or a reshape of one, is not scheduled at all; nor is one without elements.
pub fn is_pending(tensor: &Tensor) -> bool {
    !tensor.uop().has_buffer_identity() && !is_empty(tensor)
}

pub fn is_empty(tensor: &Tensor) -> bool {
    tensor.shape().is_ok_and(|shape| shape.iter().any(|extent| extent.as_const() == Some(0)))
}

/// What a buffer of the schedule is, by the id that the schedule has for it.
struct Buffers {
    kinds: HashMap<u64, Value>,
    temps: usize,
}

impl Buffers {
    fn describe(&mut self, id: u64, buffer: &morok_device::Buffer) -> Value {
        let temps = &mut self.temps;
        let known = self.kinds.entry(id).or_insert_with(|| {
            *temps += 1;
            json!({"kind": "temp", "index": *temps - 1})
        });
        let mut entry = known.clone();
        entry["dtype"] = json!(graph::dtype_name(&buffer.dtype()));
        entry["size"] = json!(buffer.size() / buffer.dtype().bytes());
        entry
    }
}

/// The kernels of all outputs together, in execution order, and what their buffers are.
pub struct Schedule {
    pub items: Vec<ScheduleItem>,
    buffers: Buffers,
}

/// Schedules all outputs; nothing is allocated or compiled.
pub fn schedule(built: &Built) -> Result<Schedule, Failure> {
    let mut buffers = Buffers { kinds: HashMap::new(), temps: 0 };
    let pending: Vec<(usize, Arc<UOp>)> = built
        .outputs
        .iter()
        .enumerate()
        .filter(|(_, tensor)| is_pending(tensor))
        .map(|(index, tensor)| (index, tensor.uop().contiguous()))
        .collect();
    if pending.is_empty() {
        return Ok(Schedule { items: Vec::new(), buffers });
    }
    let sink = UOp::sink(pending.iter().map(|(_, uop)| uop.clone()).collect());
    let sizes = bound_values(&sink);
    let (sink, slots) = buffers_to_params(&sink);

    let names: HashMap<u64, &String> =
        built.inputs.iter().map(|(name, tensor)| (tensor.uop().base().id, name)).collect();
    let mut data = InputBuffers::new();
    for node in sink.toposort() {
        if let Op::Param { slot, .. } = node.op() {
            if let Some(buffer) = tensor_registry::get_buffer(slots[*slot]) {
                data.insert(node.id, buffer);
            }
            if let Some(name) = names.get(&slots[*slot]) {
                buffers.kinds.insert(node.id, json!({"kind": "input", "name": name}));
            }
        }
    }

    let rangeified = morok_schedule::rangeify_with_map(sink, None)
        .map_err(|source| morok_tensor::error::Error::Rangeify { source })?;
    let (root, _) = morok_schedule::run_kernel_split_pipeline(rangeified.sink);
    let result = create_schedule(root, &data, &sizes)?;
    for ((index, _), id) in pending.iter().zip(&result.output_uop_ids) {
        buffers.kinds.entry(*id).or_insert_with(|| json!({"kind": "output", "index": index}));
    }
    Ok(Schedule { items: result.items, buffers })
}

impl Schedule {
    /// The kernels in the form of the protocol.
    pub fn to_json(&mut self) -> Value {
        let buffers = &mut self.buffers;
        self.items.iter().map(|item| kernel_json(item, buffers)).collect()
    }
}

fn kernel_json(item: &ScheduleItem, buffers: &mut Buffers) -> Value {
    let list: Vec<Value> =
        item.buffer_uop_ids.iter().zip(&item.buffers).map(|(id, b)| buffers.describe(*id, b)).collect();
    // A kernel has no name before optimisation.
    match item.ast.op() {
        Op::Copy { .. } => json!({"name": "", "opaque": "COPY", "buffers": list}),
        Op::BufferView { .. } => json!({"name": "", "opaque": "BUFFER_VIEW", "buffers": list}),
        _ => json!({"name": "", "graph": graph::emit(&item.ast), "buffers": list}),
    }
}
