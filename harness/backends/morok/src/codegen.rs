//! The configuration of code generation, and the generated code of a kernel without compiling it.

use std::sync::Arc;

use morok_ir::{DeviceSpec, Op, UOp};
use morok_schedule::{OptStrategy, OptimizerRenderer, optimize_kernel_with_config};
use morok_tensor::PrepareConfig;

use crate::failure::Failure;

/// What Morok's environment variables say, changed by the options of the backend's spec.
pub fn config(noopt: bool) -> PrepareConfig {
    let mut config = PrepareConfig::from_env();
    if noopt {
        config.optimizer.strategy = OptStrategy::None;
    }
    // By default the number of cores decides how a large kernel is split: a case must be the same everywhere.
    if std::env::var_os("MOROK_THREADS").is_none() {
        config.optimizer.heuristics.thread_count = 1;
    }
    config
}

/// The C code of a scheduled kernel, empty for a copy or a view. Steps and their order are those of
/// `prepare_execution_plan` (morok-tensor 0.1.0-alpha.2, src/realize.rs), which keeps the code of a kernel
/// that does not compile to itself.
pub fn source(ast: &Arc<UOp>, config: &PrepareConfig) -> Result<String, Failure> {
    if matches!(ast.op(), Op::Copy { .. } | Op::BufferView { .. }) {
        return Ok(String::new());
    }
    let device = morok_runtime::DEVICE_FACTORIES
        .device(&DeviceSpec::Cpu, morok_device::registry::registry())
        .map_err(Failure::rejected)?;
    let optimized = optimize_kernel_with_config(ast.clone(), &OptimizerRenderer::cpu(), &config.optimizer);
    let name = optimized.metadata::<morok_schedule::optimizer::KernelInfo>().map(|info| info.function_name());
    let decomposed = match device.renderer.decompositor() {
        Some(matcher) => morok_ir::decompositions::decompose_with(&optimized, &matcher),
        None => optimized,
    };
    let spec = device.renderer.render(&decomposed, name.as_deref()).map_err(Failure::rejected)?;
    Ok(without_number(&spec.src, &spec.name))
}

/// A name without the count of kernels of that name, which runs over the whole process
/// (KERNEL_NAME_COUNTS, morok-schedule 0.1.0-alpha.2, src/optimizer/scheduler.rs): `r_L5r4n1` to `r_L5r4`.
fn unnumbered(name: &str) -> &str {
    match name.rsplit_once('n') {
        Some((base, count)) if !count.is_empty() && count.bytes().all(|c| c.is_ascii_digit()) => base,
        _ => name,
    }
}

/// Generated code with the name of its kernel unnumbered.
pub fn without_number(code: &str, name: &str) -> String {
    code.replace(name, unnumbered(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_count_of_a_name_goes() {
        assert_eq!(unnumbered("r_L5L2r4n12"), "r_L5L2r4");
        assert_eq!(unnumbered("r_L5L2r4"), "r_L5L2r4");
        assert_eq!(unnumbered("kernel"), "kernel");
    }
}
