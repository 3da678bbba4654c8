// Specs of backends: canonical text, and one clear line for what is unknown.
#include "harness/backends/spec.h"

#include <gtest/gtest.h>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

std::string message_of(const std::string& text) {
  try {
    BackendSpec::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Spec, CanonicalText) {
  EXPECT_EQ(BackendSpec::parse("tinygrad").text(), "tinygrad@0.12.0");
  EXPECT_EQ(BackendSpec::parse("morok@0.1.0-alpha.2+noopt+noopt").text(), "morok@0.1.0-alpha.2+noopt");
  EXPECT_EQ(BackendSpec::parse("command:/bin/x y").text(), "command:/bin/x y");
}

TEST(Spec, WorkersDoNotSeeWhatChangesTheProgram) {
  const BackendSpec spec = BackendSpec::parse("morok+noopt+expanded+contiguous");
  EXPECT_EQ(spec.text(), "morok@0.1.0-alpha.2+contiguous+expanded+noopt");
  EXPECT_EQ(spec.worker_options(), std::vector<std::string>{"noopt"});
  EXPECT_TRUE(spec.has(BackendSpec::kExpanded) && spec.has(BackendSpec::kContiguous));
}

TEST(Spec, UnknownPartsAreNamedWithWhatIsKnown) {
  EXPECT_EQ(
      message_of("tinygrid"),
      "backend 'tinygrid': unknown compiler 'tinygrid'; known are tinygrad@0.12.0, morok@0.1.0-alpha.2");
  EXPECT_EQ(message_of(""),
            "backend '': unknown compiler ''; known are tinygrad@0.12.0, morok@0.1.0-alpha.2");
  EXPECT_EQ(message_of("tinygrad@9"), "backend 'tinygrad@9': unknown version '9'; known are 0.12.0");
  EXPECT_EQ(message_of("tinygrad@"), "backend 'tinygrad@': unknown version ''; known are 0.12.0");
  EXPECT_EQ(message_of("tinygrad+"),
            "backend 'tinygrad+': unknown option '+'; known are +contiguous, +expanded, +noopt");
  for (const char* text : {"command:", "command:ls"})
    EXPECT_EQ(message_of(text),
              std::string("backend '") + text + "': a command starts with the absolute path of a program");
  EXPECT_EQ(message_of("morok+fast"),
            "backend 'morok+fast': unknown option '+fast'; known are +contiguous, +expanded, +noopt");
}

}  // namespace
}  // namespace uopdiff
