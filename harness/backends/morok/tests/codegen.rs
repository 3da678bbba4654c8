//! The generated code of a kernel against the one that is compiled.

mod common;

use common::{F, Program};
use serde_json::json;
use uopdiff_morok::{codegen, execute, program, schedule};

fn matmul(rows: usize) -> Program {
    let (a, b) = (F(vec![1.0; 4 * rows]), F(vec![2.0; 8]));
    let mut program = Program::default();
    program.input("a", &[rows, 4], &a).input("b", &[4, 2], &b);
    program.node("c", "matmul", "f32", &[rows, 2], &["a", "b"], json!({}));
    program
}

/// `codegen::source` repeats what the compiler does on its way to C; here the two are held together.
/// Each option has a kernel of its own: Morok keeps a kernel by its content, without the options it was made with.
#[test]
fn the_code_of_a_kernel_is_what_is_compiled() {
    let mut sources = Vec::new();
    for (noopt, rows) in [(false, 5), (true, 6)] {
        let request = matmul(rows).request(&["c"]);
        let config = codegen::config(noopt);
        let mut built = program::build(&request["program"], &request["inputs"], None).unwrap();
        let kernels = schedule::schedule(&built).unwrap().items;
        let source = codegen::source(&kernels[0].ast, &config).unwrap();
        let plan = execute::prepare(&mut built.outputs, &config).unwrap().unwrap();
        let kernel = plan.kernels().next().unwrap();
        let compiled = codegen::without_number(&kernel.code, &kernel.entry_point);
        assert_eq!(compiled, source);
        sources.push(source);
    }
    assert!(sources[0].contains("float4") && !sources[1].contains("float4"), "{sources:?}");
}
