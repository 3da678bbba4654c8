//! The worker itself, as a test: the harness starts `cargo test --test worker -- --exact serve --nocapture`.

#[test]
fn serve() {
    match std::env::var("UOPDIFF_SOCKET") {
        Ok(path) => uopdiff_morok::protocol::serve_from_environment(&path).expect("the socket works"),
        Err(_) => println!("skipped: UOPDIFF_SOCKET is not set, no harness asks for a worker"),
    }
}
