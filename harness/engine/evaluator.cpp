#include "harness/engine/evaluator.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/program/fill.h"
#include "harness/program/json.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

// What the handshake lacks is never sent.
std::string missing_in(const Handshake& handshake, const Program& program) {
  for (const Node& node : program.nodes) {
    if (!handshake.ops.count(node.op->name)) return "operation " + node.op->name;
    if (!handshake.dtypes.count(dtype_name(node.dtype)))
      return std::string("dtype ") + dtype_name(node.dtype);
  }
  return "";
}

Reply unsupported_reply(const std::string& what) {
  Reply reply;
  reply.status = Status::unsupported;
  reply.message = what;
  return reply;
}

}  // namespace

Evaluator::Evaluator(const BackendSpec& left, const BackendSpec& right, const WorkerLimits& limits)
    : workers_(left, right, limits) {}

void Evaluator::start() {
  workers_.left.start();
  workers_.right.start();
}

std::string Evaluator::clang() { return workers_.left.start().clang; }

Evaluation Evaluator::evaluate(const Program& program, bool values, bool source) {
  const auto start = std::chrono::steady_clock::now();
  Evaluation result;
  result.program = program;
  std::tie(result.left.name, result.right.name) =
      side_names(workers_.left.spec().compiler, workers_.right.spec().compiler);
  result.left.spec = workers_.left.spec().text();
  result.right.spec = workers_.right.spec().text();

  Request request;
  request.program = program_to_json(program);
  const Program expanded = has_expansion(program) ? expand_composites(program) : program;
  if (has_expansion(program)) request.structure = program_to_json(expanded);
  for (int input : inputs_of(program)) {
    const Node& node = program.nodes[static_cast<size_t>(input)];
    request.inputs[node.name] = make_data(node);
  }
  request.values = values;
  request.source = source;

  const auto lacks = [&](Worker& worker) {
    const std::string missing = missing_in(worker.start(), program);
    return missing.empty() ? missing_in(worker.start(), expanded) : missing;
  };
  const std::string left_lacks = lacks(workers_.left), right_lacks = lacks(workers_.right);
  if (left_lacks.empty() && right_lacks.empty()) {
    workers_.left.send(request);
    workers_.right.send(request);
  }
  // The compilers work while the reference does.
  const Reference reference = evaluate_reference(program, request.inputs);
  if (left_lacks.empty() && right_lacks.empty()) {
    std::tie(result.left.reply, result.right.reply) = workers_.receive();
  } else {
    if (!left_lacks.empty()) result.left.reply = unsupported_reply(left_lacks);
    if (!right_lacks.empty()) result.right.reply = unsupported_reply(right_lacks);
  }
  result.verdict = judge(reference, result.left, result.right, values);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace uopdiff
