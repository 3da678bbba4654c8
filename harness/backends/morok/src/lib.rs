//! The Morok side of uopdiff: a worker that turns tensor programs into kernels and values.
//! Protocol and meaning of the operations: `harness/backends/PROTOCOL.md`.

pub mod bf16;
pub mod codegen;
pub mod execute;
pub mod failure;
pub mod graph;
pub mod operations;
pub mod program;
pub mod protocol;
pub mod schedule;
pub mod server;
pub mod text;
