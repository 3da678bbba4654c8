// Real kernels of both compilers (golden/, made anew by make_golden.sh): their printed form and their facets.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels.h"

namespace uopdiff {
namespace {

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UOPDIFF_TEST_DIR) + "/golden"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, FormAndFacets) {
  std::ifstream in(std::string(UOPDIFF_TEST_DIR) + "/golden/" + GetParam() + ".json");
  const auto golden = nlohmann::json::parse(in);
  const ScheduleForm left = make_schedule_form(schedule_from_json(golden["left"]["graphs"]));
  const ScheduleForm right = make_schedule_form(schedule_from_json(golden["right"]["graphs"]));
  for (const auto& [form, side] : {std::pair(&left, "left"), std::pair(&right, "right")}) {
    std::string expected;
    for (const auto& line : golden[side]["form"]) expected += line.get<std::string>() + "\n";
    EXPECT_EQ(print_form(*form), expected) << side;
  }
  std::vector<std::string> paths;
  for (const Facet& facet : compare_structure(left, right, "tinygrad", "morok").facets)
    paths.push_back(facet.path);
  EXPECT_EQ(paths, golden["facets"].get<std::vector<std::string>>());
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(golden_files()), [](const auto& each) {
  std::string name = each.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace uopdiff
