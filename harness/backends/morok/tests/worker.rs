//! The worker itself, as a test: the harness starts `cargo test --test worker -- --exact serve --nocapture`.

#[test]
fn serve() {
    match std::env::var("UOPDIFF_SOCKET") {
        Ok(path) => uopdiff_morok::server::serve_path(&path).expect("the worker serves its socket"),
        Err(_) => println!("skipped: UOPDIFF_SOCKET is not set, so no harness asks for a worker"),
    }
}
