// Signatures: one for a cause whatever the numbers, another for another cause.
#include "harness/compare/signature.h"

#include <gtest/gtest.h>

#include "harness/program/text.h"

namespace uopdiff {
namespace {

TEST(Signature, MessagesLoseNumbersListsAndAddresses) {
  EXPECT_EQ(normal_message("shape [3, 4, 5] at 0x7fff12 is -1.5e-3"), "shape [#] at # is #");
  EXPECT_EQ(normal_message("shape [3] at 0x1 is 2"), "shape [#] at # is #");
  EXPECT_EQ(normal_message("a\n  b"), "a b");
  EXPECT_LE(normal_message(std::string(5000, 'x')).size(), 400u);
}

TEST(Signature, DependsOnClassPathMessageAndOperations) {
  const Cause cause{VerdictClass::failure, "failure/morok/panicked/schedule", "boom"};
  const std::string signature = signature_of(cause, {"pad", "sum"});
  EXPECT_EQ(signature.size(), 8u);
  EXPECT_EQ(signature, signature_of(cause, {"sum", "pad"}));
  EXPECT_NE(signature, signature_of(cause, {"sum"}));
  EXPECT_NE(signature, signature_of({VerdictClass::both_failed, cause.path, cause.message}, {"pad", "sum"}));
  EXPECT_NE(signature,
            signature_of({cause.verdict_class, "failure/tinygrad/panicked/schedule", cause.message},
                         {"pad", "sum"}));
  EXPECT_NE(signature, signature_of({cause.verdict_class, cause.path, "bang"}, {"pad", "sum"}));
}

TEST(Signature, OperationsAreWithoutInputs) {
  const Program program =
      parse_program("a = input f32[2]\nb = full f32[2] value=1\nc = add a b\nd = add c c\noutput d\n", "t");
  EXPECT_EQ(operations_of(program), (std::set<std::string>{"add", "full"}));
}

TEST(Signature, ClassNamesRoundTripAndOrderIsFromGraveToMild) {
  for (int k = 0; k <= static_cast<int>(VerdictClass::unsupported); ++k)
    EXPECT_EQ(class_from_name(class_name(static_cast<VerdictClass>(k))), static_cast<VerdictClass>(k));
  EXPECT_LT(VerdictClass::failure, VerdictClass::wrong_values);
  EXPECT_LT(VerdictClass::access, VerdictClass::index_cost);
  EXPECT_FALSE(is_divergence(VerdictClass::agree));
}

}  // namespace
}  // namespace uopdiff
