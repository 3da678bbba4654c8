// The corpus is in order: every case reads and is what its name says, and cases and known entries belong
// together.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "harness/compare/known.h"
#include "harness/engine/case_file.h"
#include "harness/program/op_table.h"

namespace uopdiff {
namespace {

namespace fs = std::filesystem;

TEST(Corpus, EveryCaseHasItsKnownEntryAndEveryEntryItsCase) {
  std::set<std::string> of_cases, of_entries;
  for (const char* folder : {"/cases", "/slow"})
    for (const auto& file : fs::recursive_directory_iterator(std::string(CORPUS_DIR) + folder)) {
      if (!file.is_regular_file()) continue;
      const Case saved = load_case(file.path().string());
      EXPECT_EQ(file.path().filename(),
                std::string(class_name(saved.cause.verdict_class)) + "-" + saved.signature + ".json");
      EXPECT_EQ(saved.signature, signature_of(saved.cause, operations_of(saved.program))) << file.path();
      EXPECT_GT(operation_count(saved.program), 0);
      EXPECT_TRUE(of_cases.insert(saved.signature).second) << file.path() << " is there twice";
    }
  const Known known = Known::load(std::string(CORPUS_DIR) + "/known.toml");
  for (const KnownEntry& entry : known.entries())
    EXPECT_TRUE(of_entries.insert(entry.signature).second)
        << "known.toml:" << entry.line << ": " << entry.signature << " is there twice";
  EXPECT_EQ(of_cases, of_entries);
  EXPECT_FALSE(of_cases.empty());
}

}  // namespace
}  // namespace uopdiff
