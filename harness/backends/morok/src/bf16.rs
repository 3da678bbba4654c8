//! What kernels with bf16 call: Debian 12 has no such functions, as its libgcc is of GCC 12. Morok asks dlsym for what
//! its kernels call (resolve_symbol; morok-runtime 0.1.0-alpha.2, src/jit_loader.rs), so that without these every
//! program that computes a bf16 would be rejected: "Cannot resolve symbol: __truncsfbf2". They have to be those of a
//! shared library: the executable itself is too far away for the relative calls of a kernel.

use std::ffi::CString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};
use std::sync::Once;

const SOURCE: &str = include_str!("bf16.c");

/// Makes the functions known to dlsym, once; without a `clang` that makes them Morok says what it lacks.
pub fn provide() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the names end with a zero.
        let is_there = unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__truncsfbf2".as_ptr()).is_null() };
        if !is_there && let Err(problem) = load() {
            eprintln!("no rounding to bf16: {problem}");
        }
    });
}

fn load() -> std::io::Result<()> {
    let path = std::env::temp_dir().join(format!("uopdiff-bf16-{}.so", std::process::id()));
    let mut clang = Command::new("clang")
        .args(["-O2", "-fPIC", "-shared", "-nostdlib", "-x", "c", "-", "-o"])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()?;
    clang.stdin.take().expect("it is piped").write_all(SOURCE.as_bytes())?;
    clang.wait()?;
    let name = CString::new(path.clone().into_os_string().into_vec())?;
    // SAFETY: the library has no constructors.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    std::fs::remove_file(path)?;
    if library.is_null() { Err(std::io::Error::other("the library does not load")) } else { Ok(()) }
}
