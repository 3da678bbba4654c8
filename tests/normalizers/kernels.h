// Hand-made kernels in a short notation, for tests of the normal form.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/compare/structure.h"

namespace uopdiff::test {

// Builds one kernel's graph node by node; every function returns the node's position.
class KernelBuilder {
 public:
  int buffer(const std::string& kind, const std::string& name_or_index, int64_t size,
             const std::string& dtype = "f32") {
    nlohmann::json entry{{"kind", kind}, {"dtype", dtype}, {"size", size}};
    if (kind == "input")
      entry["name"] = name_or_index;
    else
      entry["index"] = std::stoi(name_or_index);
    buffers_.push_back(entry);
    return add("DEFINE_GLOBAL", dtype, {{"slot", buffers_.size() - 1}, {"size", size}}, {});
  }
  int index_constant(int64_t value) { return add("CONST", "index", value, {}); }
  int real(double value) { return add("CONST", "f32", value, {}); }
  int range(int id, int64_t extent, const std::string& type) {
    return add("RANGE", "index", {id, type}, {index_constant(extent)});
  }
  int op(const std::string& name, std::vector<int> src, const std::string& dtype = "f32") {
    return add(name, dtype, nullptr, src);
  }
  int index_op(const std::string& name, int a, int b) { return add(name, "index", nullptr, {a, b}); }
  // a*x + b
  int affine(int64_t a, int x, int64_t b = 0) {
    const int scaled = a == 1 ? x : index_op("MUL", x, index_constant(a));
    return b == 0 ? scaled : index_op("ADD", scaled, index_constant(b));
  }
  int plus(int a, int b) { return index_op("ADD", a, b); }
  int load(int buffer_node, int at, const std::string& dtype = "f32") {
    return add("INDEX", dtype, nullptr, {buffer_node, at});
  }
  int reduce(const std::string& name, std::vector<int> src, const std::string& dtype = "f32") {
    return add("REDUCE", dtype, name, src);
  }
  int invalid() { return add("CONST", "index", "Invalid", {}); }
  void store(int target, int value, std::vector<int> ranges) {
    const int stored = add("STORE", "void", nullptr, {target, value});
    ranges.insert(ranges.begin(), stored);
    ends_.push_back(ranges.size() > 1 ? add("END", "void", nullptr, ranges) : stored);
  }
  nlohmann::json json() {
    nlohmann::json graph = graph_;
    graph.push_back({"SINK", "void", nullptr, ends_});
    return {{"name", ""}, {"graph", graph}, {"buffers", buffers_}};
  }
  int add(const std::string& name, const std::string& dtype, const nlohmann::json& arg,
          const std::vector<int>& src) {
    graph_.push_back({name, dtype, arg, src});
    return static_cast<int>(graph_.size()) - 1;
  }

 private:
  nlohmann::json graph_ = nlohmann::json::array(), buffers_ = nlohmann::json::array();
  std::vector<int> ends_;
};

inline ScheduleForm form_of(std::vector<nlohmann::json> kernels) {
  return make_schedule_form(schedule_from_json(nlohmann::json(std::move(kernels))));
}

inline std::vector<std::string> paths(const ScheduleForm& left, const ScheduleForm& right) {
  std::vector<std::string> result;
  for (const Facet& facet : compare_structure(left, right, "L", "R").facets) result.push_back(facet.path);
  return result;
}

}  // namespace uopdiff::test
