//! Compiles and runs a program, and reads its outputs back.

use base64::{Engine, engine::general_purpose::STANDARD};
use morok_dtype::DType;
use morok_tensor::Tensor;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::graph::dtype_name;
use crate::schedule::is_pending;

/// Compiled outputs; `run` executes them.
pub struct Prepared {
    plan: Option<morok_runtime::ExecutionPlan>,
    pub sources: Vec<String>,
}

/// Compiles every kernel that the outputs need. Outputs that are buffers already need none.
pub fn prepare(outputs: &mut [Tensor]) -> Result<Prepared, Failure> {
    let pending: Vec<&mut Tensor> = outputs.iter_mut().filter(|tensor| is_pending(tensor)).collect();
    if pending.is_empty() {
        return Ok(Prepared { plan: None, sources: Vec::new() });
    }
    let plan = Tensor::prepare_batch(pending)?;
    let sources = plan.kernels().map(|kernel| kernel.code.clone()).collect();
    Ok(Prepared { plan: Some(plan), sources })
}

impl Prepared {
    pub fn run(&self) -> Result<(), Failure> {
        match &self.plan {
            Some(plan) => {
                plan.execute().map_err(|error| Failure::rejected(format!("Execution failed: {error}")))
            }
            None => Ok(()),
        }
    }
}

fn bytes_of(tensor: &Tensor) -> Result<Vec<u8>, Failure> {
    let dtype = tensor.uop().dtype();
    if dtype == DType::Bool {
        Ok(tensor.as_vec::<bool>()?.into_iter().map(u8::from).collect())
    } else if dtype == DType::Int32 {
        Ok(tensor.as_vec::<i32>()?.into_iter().flat_map(i32::to_le_bytes).collect())
    } else if dtype == DType::Float32 {
        Ok(tensor.as_vec::<f32>()?.into_iter().flat_map(f32::to_le_bytes).collect())
    } else {
        Err(Failure::rejected(format!("output has dtype {}", dtype_name(&dtype))))
    }
}

/// The outputs of an executed program as the protocol has them.
pub fn read(outputs: &mut [Tensor]) -> Result<Value, Failure> {
    let mut list = Vec::new();
    for tensor in outputs {
        if !is_pending(tensor) {
            tensor.realize()?; // only links a view of an input to its buffer
        }
        let shape: Vec<usize> = tensor.shape()?.iter().map(|d| d.as_const().unwrap_or(0)).collect();
        let data = STANDARD.encode(bytes_of(tensor)?);
        list.push(json!({"dtype": dtype_name(&tensor.uop().dtype()), "shape": shape, "data": data}));
    }
    Ok(Value::Array(list))
}
