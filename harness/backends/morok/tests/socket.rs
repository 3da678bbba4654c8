//! The conversation over the socket, both ends in this process.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

#[test]
fn handshake_then_one_reply_a_line_and_the_end_with_the_socket() {
    common::clang_on_path();
    let (here, there) = UnixStream::pair().unwrap();
    let worker = std::thread::spawn(move || uopdiff_morok::server::serve(there, false));
    let mut lines = BufReader::new(here.try_clone().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };

    let handshake = next();
    assert_eq!(handshake["protocol"], 1);
    assert_eq!(handshake["backend"], "morok");
    assert!(handshake["ops"].as_array().unwrap().contains(&json!("matmul")));
    assert!(handshake["clang"].as_str().unwrap().starts_with(|c: char| c.is_ascii_digit()), "{handshake}");

    (&here).write_all(b"rubbish\n").unwrap();
    assert_eq!(next()["status"], "protocol-error");

    let node = json!({"name": "a", "op": "input", "dtype": "i32", "shape": [1], "src": [], "attrs": {}});
    let program = json!({"nodes": [node], "outputs": ["a"]});
    let request = json!({"id": 3, "program": program, "inputs": {"a": "BQAAAA=="}, "values": true});
    writeln!(&here, "{request}").unwrap();
    let reply = next();
    assert_eq!((&reply["id"], &reply["status"]), (&json!(3), &json!("ok")));
    assert_eq!(reply["outputs"][0]["data"], "BQAAAA==");

    here.shutdown(std::net::Shutdown::Write).unwrap();
    worker.join().unwrap().unwrap();
}
