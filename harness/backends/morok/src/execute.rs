//! Compiles and runs a program, and reads its outputs back.

use base64::{Engine, engine::general_purpose::STANDARD};
use morok_runtime::ExecutionPlan;
use morok_tensor::{PrepareConfig, Tensor};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::graph::dtype_name;
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
pub fn read(outputs: &[Tensor]) -> Result<Value, Failure> {
    outputs.iter().map(output_json).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn output_json(tensor: &Tensor) -> Result<Value, Failure> {
    let shape: Option<Vec<usize>> = tensor.shape()?.iter().map(|extent| extent.as_const()).collect();
    let shape = shape.ok_or_else(|| Failure::rejected("an output has a symbolic shape"))?;
    if is_empty(tensor) {
        return Ok(json!({"dtype": dtype_name(&tensor.uop().dtype()), "shape": shape, "data": ""}));
    }
    let buffer = tensor.buffer().ok_or(morok_tensor::error::Error::NoBuffer)?;
    let mut data = vec![0; buffer.size()];
    buffer.copyout(&mut data).map_err(|source| morok_tensor::error::Error::Device { source })?;
    Ok(json!({"dtype": dtype_name(&buffer.dtype()), "shape": shape, "data": STANDARD.encode(data)}))
}
