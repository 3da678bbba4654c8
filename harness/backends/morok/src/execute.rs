//! Compiles and runs a program, and reads its outputs back.

use base64::{Engine, engine::general_purpose::STANDARD};
use morok_ir::SInt;
use morok_runtime::ExecutionPlan;
use morok_tensor::{PrepareConfig, Tensor};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::graph::dtype_name;
use crate::program::Built;
use crate::schedule::{is_empty, is_pending};

/// Compiles every kernel that the outputs need; None when all of them are buffers already.
pub fn prepare(outputs: &mut [Tensor], config: &PrepareConfig) -> Result<Option<ExecutionPlan>, Failure> {
    let pending: Vec<&mut Tensor> = outputs.iter_mut().filter(|tensor| is_pending(tensor)).collect();
    if pending.is_empty() { Ok(None) } else { Ok(Some(Tensor::prepare_batch_with(pending, config)?)) }
}

/// Runs the kernels in order.
pub fn run(plan: &ExecutionPlan) -> Result<(), Failure> {
    plan.execute().map_err(|source| morok_tensor::error::Error::Execution { source })?;
    Ok(())
}

/// The outputs of an executed program as the protocol has them.
pub fn read(built: &Built) -> Result<Value, Failure> {
    let outputs = built.outputs.iter().zip(&built.shapes);
    outputs.map(|(tensor, shape)| output_json(tensor, shape)).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

/// A symbolic shape is that of the request, and the buffer is as large as the shape can be.
fn output_json(tensor: &Tensor, declared: &[usize]) -> Result<Value, Failure> {
    let extent = |(extent, declared): (&SInt, &usize)| extent.as_const().unwrap_or(*declared);
    let shape: Vec<usize> = tensor.shape()?.iter().zip(declared).map(extent).collect();
    if is_empty(tensor) {
        return Ok(json!({"dtype": dtype_name(&tensor.uop().dtype()), "shape": shape, "data": ""}));
    }
    let buffer = tensor.buffer().ok_or(morok_tensor::error::Error::NoBuffer)?;
    let mut data = vec![0; buffer.size()];
    buffer.copyout(&mut data).map_err(|source| morok_tensor::error::Error::Device { source })?;
    let wanted = shape.iter().product::<usize>() * buffer.dtype().bytes();
    if data.len() < wanted {
        return Err(Failure::rejected(format!("an output of {wanted} bytes has a buffer of {}", data.len())));
    }
    data.truncate(wanted);
    Ok(json!({"dtype": dtype_name(&buffer.dtype()), "shape": shape, "data": STANDARD.encode(data)}))
}
