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

// The program as the options of a backend want it.
Program variant_for(const BackendSpec& spec, const Program& program) {
  const Program written = spec.has(BackendSpec::kExpanded) ? expand_composites(program) : program;
  return spec.has(BackendSpec::kContiguous) ? with_contiguous(written) : written;
}

struct Asked {
  Request request;
  std::string lacks;  // what the backend cannot do; empty when it can
};

Asked ask(Worker& worker, const Program& program, const std::map<std::string, Bytes>& inputs, bool values,
          bool source) {
  const Program variant = variant_for(worker.spec(), program);
  Asked asked;
  asked.request.program = program_to_json(variant);
  asked.lacks = missing_in(worker.start(), variant);
  if (has_expansion(variant)) {
    const Program structure = expand_composites(variant);
    asked.request.structure = program_to_json(structure);
    if (asked.lacks.empty()) asked.lacks = missing_in(worker.start(), structure);
  }
  asked.request.inputs = inputs;
  asked.request.values = values;
  asked.request.source = source;
  return asked;
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
  const BackendSpec &left = workers_.left.spec(), &right = workers_.right.spec();
  std::tie(result.left.name, result.right.name) = side_names(left, right);
  result.left.spec = left.text();
  result.right.spec = right.text();

  std::map<std::string, Bytes> inputs;
  for (int input : inputs_of(program)) {
    const Node& node = program.nodes[static_cast<size_t>(input)];
    inputs[node.name] = make_data(node);
  }
  const Asked to_left = ask(workers_.left, program, inputs, values, source);
  const Asked to_right = ask(workers_.right, program, inputs, values, source);
  const bool possible = to_left.lacks.empty() && to_right.lacks.empty();
  if (possible) {
    workers_.left.send(to_left.request);
    workers_.right.send(to_right.request);
  }
  // The compilers work while the reference does.
  const Reference reference = evaluate_reference(program, inputs);
  if (possible) {
    std::tie(result.left.reply, result.right.reply) = workers_.receive();
  } else {
    if (!to_left.lacks.empty()) result.left.reply = unsupported_reply(to_left.lacks);
    if (!to_right.lacks.empty()) result.right.reply = unsupported_reply(to_right.lacks);
  }
  const bool one_program = left.has(BackendSpec::kContiguous) == right.has(BackendSpec::kContiguous);
  const bool one_compiler = left.compiler == right.compiler && left.version == right.version;
  result.verdict = judge(reference, result.left, result.right, {values, one_program, one_compiler});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace uopdiff
