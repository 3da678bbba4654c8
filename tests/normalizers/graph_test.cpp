// Reading graphs: what is malformed is a clear error, never a crash.
#include "normalizers/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

using nlohmann::json;

std::string message_of(const json& kernels) {
  try {
    schedule_from_json(kernels);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

json kernel(json graph) { return json::array({{{"buffers", json::array()}, {"graph", std::move(graph)}}}); }

TEST(Graph, SaysWhatIsMalformed) {
  EXPECT_EQ(message_of(json::object()), "kernels: not a list");
  EXPECT_EQ(message_of(kernel(json::array())), "kernel 0: the last node is not a SINK");
  EXPECT_EQ(message_of(kernel({{"ADD", "f32", nullptr, {0, 1}}})),
            "kernel 0: node 0: source 0 is not an earlier node");
  EXPECT_EQ(message_of(kernel({{"CONST", "f32", "zero", json::array()}})),
            "kernel 0: node 0: constant 'zero' is no number");
  EXPECT_EQ(message_of(kernel({{"CONST", "f32", 1.0, json::array()}, {"ADD", "f32", nullptr, {0}}})),
            "kernel 0: node 1: ADD lacks sources");
  EXPECT_EQ(message_of(kernel({{"DEFINE_GLOBAL", "f32", {{"slot", 0}, {"size", 3}}, json::array()}})),
            "kernel 0: node 0: slot 0 is not in the list of buffers");
  EXPECT_EQ(message_of(json::array({{{"buffers", {{{"kind", "magic"}}}}}})),
            "kernel 0: unknown kind of buffer 'magic'");
  const json endless = {{"kind", "temp"}, {"index", 0}, {"dtype", "f32"}, {"size", -1}};
  EXPECT_EQ(message_of(json::array({{{"buffers", json::array({endless})}, {"graph", json::array()}}})),
            "kernel 0: tmp0 has -1 elements");
  EXPECT_TRUE(message_of(json::array({1})).starts_with("kernel 0: "));
  EXPECT_TRUE(message_of(kernel({{"CONST"}})).starts_with("kernel 0: node 0: "));
}

TEST(Graph, ConstantsOfEveryKind) {
  const Schedule schedule = schedule_from_json(kernel({{"CONST", "f32", "-inf", json::array()},
                                                       {"CONST", "f32", "nan", json::array()},
                                                       {"CONST", "bool", true, json::array()},
                                                       {"CONST", "index", "Invalid", json::array()},
                                                       {"CONST", "f32", -0.0, json::array()},
                                                       {"SINK", "void", nullptr, json::array()}}));
  const auto& graph = schedule[0].graph;
  EXPECT_EQ(graph[0].real, -INFINITY);
  EXPECT_TRUE(std::isnan(graph[1].real));
  EXPECT_EQ(graph[2].number, 1);
  EXPECT_TRUE(graph[3].invalid);
  EXPECT_TRUE(std::signbit(graph[4].real));
}

}  // namespace
}  // namespace uopdiff
