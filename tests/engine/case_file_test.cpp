// Saved cases: round trip, and clear errors for what is broken.
#include "harness/engine/case_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"
#include "harness/program/files.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

Case example() {
  Case saved;
  saved.program = parse_program("a = input f32[3,4] iota\nb = permute a axes=[1,0]\noutput b\n", "t");
  saved.cause = {VerdictClass::wrong_values, "wrong-values/morok", ""};
  saved.signature = signature_of(saved.cause, operations_of(saved.program));
  saved.reason = "morok: wrong";
  saved.profile = "movement";
  saved.seed = 7;
  saved.index = 12345678901;
  saved.clang = "19.1.7";
  saved.left = {"tinygrad@0.12.0", "ok", "execute", "", "", {"kernel 0 -> out0 f32[12]"}, {"AACAPw=="}};
  saved.right = {"morok@0.1.0-alpha.2", "panicked", "schedule", "boom", "printed", {}, {}};
  saved.reproduced = saved.runs = 3;
  saved.fresh_data = "same";
  saved.evaluations = 40;
  saved.operations_before = 6;
  saved.shrink_ended = "minimal";
  return saved;
}

class CaseFile : public testing::Test {
 protected:
  CaseFile() { std::filesystem::create_directories(directory_); }
  ~CaseFile() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& text) {
    const std::string path = directory_ + "/case.json";
    std::ofstream(path) << text;
    return path;
  }
  std::string message_of(const std::string& text) {
    try {
      load_case(write(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      const std::string message = error.what();
      return message.substr(message.find("case.json") == std::string::npos ? 0 : message.find("case.json"));
    }
    return "no error";
  }
  const std::string directory_ = testing::TempDir() + "uopdiff-case-file-test-" + std::to_string(getpid());
};

TEST_F(CaseFile, RoundTripsThroughAFile) {
  const std::string path = directory_ + "/saved.json";
  save_case(example(), path);
  EXPECT_EQ(case_to_json(load_case(path)), case_to_json(example()));
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    EXPECT_EQ(entry.path().filename(), "saved.json");
}

TEST_F(CaseFile, ATextProgramIsACaseOfItsOwn) {
  const Case plain = load_case(write("a = input f32[2]\nb = neg a\noutput b\n"));
  EXPECT_EQ(print_program(plain.program), "a = input f32[2] small\nb = neg a\noutput b\n");
  EXPECT_EQ(plain.signature, "");
}

TEST_F(CaseFile, SaysWhatIsBroken) {
  EXPECT_EQ(message_of(""), "case.json: is empty");
  EXPECT_EQ(message_of("{\n\"format\": 1,\n"), "case.json:3: not JSON");
  EXPECT_EQ(message_of("{\"format\": 99}"),
            "case.json: case format 99 is unknown, this program reads format 1");
  EXPECT_TRUE(message_of("{}").starts_with("case.json: not a case file: "));
  nlohmann::json value = case_to_json(example());
  value["program"][1] = "b = permut a axes=[1,0]";
  EXPECT_TRUE(message_of(value.dump()).starts_with("case.json, program:2:5: unknown operation 'permut'"));
  value = case_to_json(example());
  value["class"] = "strange";
  EXPECT_EQ(message_of(value.dump()), "case.json: unknown class 'strange'");
  EXPECT_TRUE(message_of("a = input\n").starts_with("case.json:1:10: "));
  EXPECT_THROW(load_case("/no/such/file"), Error);
  EXPECT_THROW(load_case(directory_), Error);
}

TEST_F(CaseFile, AFailedWriteLeavesNothing) {
  EXPECT_THROW(write_atomically(directory_ + "/no/such/folder/x", "text"), Error);
}

}  // namespace
}  // namespace uopdiff
