// known.toml: round trip, matching, and messages with file and line.
#include "harness/compare/known.h"

#include <gtest/gtest.h>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

KnownEntry entry() {
  KnownEntry result;
  result.cause = {VerdictClass::index_cost, "index-cost/morok/div", "says \"no\"\\"};
  result.operations = {"permute", "reshape"};
  result.signature = signature_of(result.cause, result.operations);
  result.reason = "not simplified";
  result.versions = {"tinygrad@0.12.0", "morok@0.1.0-alpha.2"};
  return result;
}

TEST(Known, RoundTrips) {
  const Known known = Known::parse(print_known(entry()) + "\n" + print_known(entry()), "k.toml");
  ASSERT_EQ(known.entries().size(), 2u);
  EXPECT_EQ(print_known(known.entries()[1]), print_known(entry()));
  EXPECT_EQ(known.entries()[1].line, 10);
}

TEST(Known, MatchesProgramsThatContainTheOperations) {
  const Known known = Known::parse(print_known(entry()), "k.toml");
  const Cause cause = entry().cause;
  const std::string left = "tinygrad@0.12.0", right = "morok@0.1.0-alpha.2+noopt";
  EXPECT_NE(known.find(cause, {"permute", "reshape", "sum"}, left, right), nullptr);
  EXPECT_EQ(known.find(cause, {"permute", "sum"}, left, right), nullptr);
  EXPECT_EQ(known.find({cause.verdict_class, "index-cost/morok/mod", cause.message}, {"permute", "reshape"},
                       left, right),
            nullptr);
  EXPECT_EQ(known.find(cause, {"permute", "reshape"}, left, "morok@0.2.0"), nullptr);
}

TEST(Known, AnyProgramNeedsTheCauseAlone) {
  KnownEntry any = entry();
  any.any_program = true;
  const Known known = Known::parse(print_known(any), "k.toml");
  EXPECT_EQ(print_known(known.entries()[0]), print_known(any));
  EXPECT_NE(known.find(any.cause, {"sum"}, "tinygrad@0.12.0", "morok@0.1.0-alpha.2"), nullptr);
  EXPECT_EQ(known.find({any.cause.verdict_class, "index-cost/morok/mod", any.cause.message}, {"sum"},
                       "tinygrad@0.12.0", "morok@0.1.0-alpha.2"),
            nullptr);
}

std::string message_of(const std::string& text) {
  try {
    Known::parse(text, "k.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

TEST(Known, SaysWhereItIsWrong) {
  EXPECT_TRUE(message_of("[[known]\n").starts_with("k.toml:1: ")) << message_of("[[known]\n");
  EXPECT_EQ(message_of("\n[[known]]\nclass = \"access\"\n"),
            "k.toml:2: a known entry needs the string 'signature'");
  EXPECT_EQ(message_of("other = 1\n"), "k.toml:1: unknown key 'other'");
  std::string text = print_known(entry());
  EXPECT_EQ(message_of(text), "no error");
  std::string other = text;
  other.replace(other.find("index-cost\""), 10, "indexcosts");
  EXPECT_EQ(message_of(other), "k.toml:1: 'indexcosts' is not a class of divergence");
  other = text;
  other.replace(other.find("permute"), 7, "flipped");
  EXPECT_TRUE(
      message_of(other).starts_with("k.toml:1: signature '" + entry().signature + "' does not belong"));
  other = text;
  other.replace(other.find("not simplified"), 14, "");
  EXPECT_EQ(message_of(other), "k.toml:1: the reason is empty");
}

TEST(Known, AMissingFileIsAnError) { EXPECT_THROW(Known::load("/no/such/known.toml"), Error); }

}  // namespace
}  // namespace uopdiff
