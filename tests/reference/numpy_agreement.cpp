// The reference against numpy: writes programs with their data, and judges what numpy_agreement.py made of
// them.
//   numpy_agreement write CASES COUNT SEED
//   numpy_agreement check CASES RESULTS
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "generators/examples.h"
#include "generators/program_gen.h"
#include "harness/program/error.h"
#include "harness/program/fill.h"
#include "harness/program/json.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"
#include "harness/reference/reference.h"
#include "tests/reference/random_chain.h"

namespace uopdiff {
namespace {

using nlohmann::json;
using Inputs = std::map<std::string, Bytes>;

constexpr double kMedianBound = 64;    // ulp; wider ones would see nothing
constexpr size_t kBoundsCounted = 16;  // of an output, about
constexpr int kFailuresShown = 20;

std::string hex_of(const Bytes& bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}
Bytes bytes_of(const std::string& hex) {
  Bytes bytes;
  for (size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(k, 2), nullptr, 16)));
  return bytes;
}

Inputs data_of(const Program& program) {
  Inputs inputs;
  for (int n : inputs_of(program)) {
    const Node& node = program.nodes[static_cast<size_t>(n)];
    inputs[node.name] = make_data(node);
  }
  return inputs;
}

void write(const std::string& path, uint64_t count, uint64_t seed) {
  std::ofstream file(path);
  const auto add = [&](const Program& program) {
    json inputs = json::object();
    for (const auto& [name, bytes] : data_of(program)) inputs[name] = hex_of(bytes);
    const json line{{"plain", program_to_json(program)},
                    {"own", program_to_json(reference_form(program))},
                    {"inputs", inputs}};
    file << line.dump() << "\n";
  };
  for (const Example& example : examples()) add(example.program);
  for (uint64_t index = 0; index < count; ++index)
    add(index % 2 ? random_chain(seed, index) : generate("mixed", seed, index).program);
  if (!file.flush()) throw Error(ErrorKind::environment, "cannot write " + path);
}

struct Totals {
  int64_t programs = 0, native = 0, elements = 0, undetermined = 0, wrong = 0;
  int64_t floats = 0;                         // finite ones
  std::map<DType, std::vector<double>> ulps;  // bounds of those that are not exact
  std::map<std::string, int64_t> reasons, missing;
  std::set<std::string> operations;
};

void count_bounds(const RefTensor& output, Totals& totals) {
  if (!is_float(output.dtype)) return;
  const FloatFormat& format = float_format(output.dtype);
  // A few of each output, so that no large one stands for all.
  const size_t step = std::max<size_t>(1, output.elements.size() / kBoundsCounted);
  for (size_t k = 0; k < output.elements.size(); k += step) {
    const Element& e = output.elements[k];
    if (is_open(e) || !std::isfinite(e.f)) continue;
    ++totals.floats;
    if (e.error == 0) continue;
    const int exponent = std::max(e.f == 0 ? 0 : std::ilogb(e.f), format.min_exponent);
    totals.ulps[output.dtype].push_back(
        static_cast<double>(std::ldexp(e.error, format.digits - 1 - exponent)));
  }
}

void check_form(const char* form, const json& outputs, const Program& program, const Reference& reference,
                Totals& totals) {
  for (size_t k = 0; k < reference.outputs.size(); ++k) {
    const ValueCheck check = check_values(reference.outputs[k], bytes_of(outputs.at(k).get<std::string>()));
    totals.wrong += check.wrong;
    if (check.wrong == 0) continue;
    static int shown = 0;
    if (++shown > kFailuresShown) continue;
    fmt::print("{} of output {}: {} of {} elements are wrong; element {}: reference {}, numpy {}\n{}\n", form,
               k, check.wrong, check.elements, check.first_wrong, check.expected, check.got,
               print_program(program));
  }
}

int check(const std::string& cases_path, const std::string& results_path) {
  std::ifstream cases(cases_path), results(results_path);
  Totals totals;
  std::string case_line, result_line;
  while (std::getline(cases, case_line)) {
    if (!std::getline(results, result_line)) throw Error(ErrorKind::input, results_path + " ends early");
    const json given = json::parse(case_line), result = json::parse(result_line);
    const Program program = program_from_json(given.at("plain"));
    Inputs inputs;
    for (const auto& [name, hex] : given.at("inputs").items())
      inputs[name] = bytes_of(hex.get<std::string>());
    const Reference reference = evaluate_reference(program, inputs);
    ++totals.programs;
    for (const Node& node : program.nodes) totals.operations.insert(node.op->name);
    for (const RefTensor& output : reference.outputs) {
      count_bounds(output, totals);
      totals.elements += static_cast<int64_t>(output.elements.size());
      for (const Element& e : output.elements)
        if (is_open(e)) {
          ++totals.undetermined;
          ++totals.reasons[reason_name(e.undetermined)];
        }
    }
    check_form("own operations", result.at("own"), program, reference, totals);
    if (result.contains("missing")) {
      ++totals.missing[result.at("missing").get<std::string>()];
      continue;
    }
    ++totals.native;
    check_form("numpy's composites", result.at("plain"), program, reference, totals);
  }
  fmt::print(
      "{} programs with {} operations, {} of them with numpy's own composites; {} elements, {:.1f}% "
      "undetermined\n",
      totals.programs, totals.operations.size(), totals.native, totals.elements,
      100.0 * static_cast<double>(totals.undetermined) /
          static_cast<double>(std::max<int64_t>(totals.elements, 1)));
  for (const auto& [reason, n] : totals.reasons) fmt::print("  {:8} {}\n", n, reason);
  for (const auto& [op, n] : totals.missing) fmt::print("  {:8} programs with {} not in numpy form\n", n, op);
  bool narrow = true;
  fmt::print("{} finite floats sampled; bounds of those that are not exact, in ulp:\n", totals.floats);
  for (auto& [dtype, ulps] : totals.ulps) {
    std::ranges::sort(ulps);
    const double median = ulps[ulps.size() / 2];
    narrow &= median < kMedianBound;
    fmt::print("{:6} {} elements: median {:.1f}, 90% {:.1f}\n", dtype_name(dtype), ulps.size(), median,
               ulps[ulps.size() * 9 / 10]);
  }
  fmt::print("{} elements outside their bound\n", totals.wrong);
  return totals.wrong == 0 && narrow && totals.programs > 0 ? 0 : 1;
}

}  // namespace
}  // namespace uopdiff

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  try {
    if (args.size() == 4 && args[0] == "write") {
      uopdiff::write(args[1], std::stoull(args[2]), std::stoull(args[3]));
      return 0;
    }
    if (args.size() == 3 && args[0] == "check") return uopdiff::check(args[1], args[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "numpy_agreement: {}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: numpy_agreement write CASES COUNT SEED | check CASES RESULTS\n");
  return 2;
}
