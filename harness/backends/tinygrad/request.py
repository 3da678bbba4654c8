"""Requests of the harness: read, and checked as a whole before tinygrad sees any of it."""

import base64
import json
import math
from dataclasses import dataclass

ITEM_BYTES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4}
ITEM_BYTES |= {"f32": 4, "i64": 8, "u64": 8, "f64": 8}
NODE_FIELDS = {"name": str, "op": str, "dtype": str, "shape": list, "src": list, "attrs": dict}


class BadRequest(Exception):
    """The line is not a request of the protocol; a fault of the harness, not of the compiler."""


@dataclass
class Request:
    id: int
    program: dict
    structure: dict | None
    inputs: dict[str, bytes]
    values: bool
    source: bool


def _need(condition: object, message: str) -> None:
    if not condition:
        raise BadRequest(message)


def _field(owner: dict, key: str, kind: type, what: str):
    _need(key in owner, f"{what} lacks {key}")
    value = owner[key]
    # bool is an int in Python, not in JSON.
    right = isinstance(value, kind) and (kind is not int or not isinstance(value, bool))
    _need(right, f"{key} of {what} is not of type {kind.__name__}")
    return value


def _check_node(node: object, known: dict) -> None:
    _need(isinstance(node, dict), "a node is not an object")
    for key, kind in NODE_FIELDS.items():
        _field(node, key, kind, "a node")
    name = node["name"]
    _need(name not in known, f"two nodes are named {name}")
    _need(node["dtype"] in ITEM_BYTES, f"unknown dtype {node['dtype']} of node {name}")
    _need(all(type(n) is int and n >= 0 for n in node["shape"]), f"impossible shape of node {name}")
    for source in node["src"]:
        _need(isinstance(source, str) and source in known, f"node {name} uses {source} before it is there")
    known[name] = node


def _check_program(program: dict, what: str) -> None:
    known: dict[str, dict] = {}
    for node in _field(program, "nodes", list, what):
        _check_node(node, known)
    outputs = _field(program, "outputs", list, what)
    _need(outputs, f"{what} has no outputs")
    for name in outputs:
        _need(isinstance(name, str) and name in known, f"output {name} of {what} is not a node")


def _decode_inputs(data: dict, programs: list[dict]) -> dict[str, bytes]:
    inputs: dict[str, bytes] = {}
    for node in (node for program in programs for node in program["nodes"] if node["op"] == "input"):
        name = node["name"]
        try:
            inputs[name] = base64.b64decode(_field(data, name, str, "inputs"), validate=True)
        except ValueError as error:
            raise BadRequest(f"input {name} is not base64: {error}") from error
        wanted, given = math.prod(node["shape"]) * ITEM_BYTES[node["dtype"]], len(inputs[name])
        _need(given == wanted, f"input {name} has {given} bytes of data, not {wanted}")
    return inputs


def parse(line: bytes) -> Request:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"not a request: {error}") from error
    _need(isinstance(message, dict), "not a request: no JSON object")
    number = _field(message, "id", int, "the request")
    programs = [_field(message, "program", dict, "the request")]
    _check_program(programs[0], "the program")
    if message.get("structure") is not None:
        programs.append(_field(message, "structure", dict, "the request"))
        _check_program(programs[1], "the structure")
    inputs = _decode_inputs(_field(message, "inputs", dict, "the request"), programs)
    values = _field(message, "values", bool, "the request")
    structure = programs[1] if len(programs) > 1 else None
    return Request(number, programs[0], structure, inputs, values, message.get("source") is True)
