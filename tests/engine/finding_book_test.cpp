// One report per cause: what is known, what was shrunk already, and what waits.
#include "harness/engine/finding_book.h"

#include <gtest/gtest.h>

#include "harness/program/text.h"

namespace uopdiff {
namespace {

const Cause kCause{VerdictClass::kernel_split, "kernel-split/morok", ""};
const Cause kOther{VerdictClass::failure, "failure/morok/panicked/schedule", "boom"};

Candidate candidate(uint64_t index, const std::string& operations, const Cause& cause = kCause) {
  return {index, parse_program("a = input f32[2]\n" + operations + "output r\n", "t"), cause, ""};
}
const std::string kFlip = "r = flip a axes=[0]\n", kNeg = "r = neg a\n",
                  kFlipNeg = "b = flip a axes=[0]\nr = neg b\n";

Case finding(const std::string& operations, const Cause& cause = kCause) {
  Case saved;
  saved.program = candidate(0, operations).program;
  saved.cause = cause;
  saved.signature = signature_of(cause, operations_of(saved.program));
  return saved;
}

TEST(FindingBook, TheFirstIsShrunkTheOthersOfItsCauseWait) {
  const Known known;
  FindingBook book(known, "l", "r");
  EXPECT_EQ(book.offer(candidate(0, kFlipNeg))->index, 0u);
  EXPECT_FALSE(book.offer(candidate(1, kFlip)));
  EXPECT_FALSE(book.offer(candidate(2, kNeg)));
  EXPECT_EQ(book.offer(candidate(3, kNeg, kOther))->index, 3u);  // another cause does not wait
  EXPECT_EQ(book.waiting(), 2);
  // The first came down to a flip: candidate 1 is the same finding, candidate 2 is not.
  EXPECT_EQ(book.finish(kCause, finding(kFlip))->index, 2u);
  EXPECT_EQ(book.findings()[0].count, 2);
  EXPECT_FALSE(book.finish(kCause, finding(kNeg)));
  EXPECT_EQ(book.findings().size(), 2u);
  EXPECT_FALSE(book.offer(candidate(4, kFlipNeg)));  // recognised at once
  EXPECT_EQ(book.findings()[0].count, 3);
}

TEST(FindingBook, WhenItEndsOnlyCountsNotTheOutcomeDepend) {
  // The same candidates, with the shrink finished early or late.
  const Known known;
  std::vector<std::string> outcomes;
  for (const bool late : {false, true}) {
    FindingBook book(known, "l", "r");
    book.offer(candidate(0, kFlip));
    if (!late) book.finish(kCause, finding(kFlip));
    std::optional<Candidate> next = book.offer(candidate(1, kFlipNeg));
    EXPECT_FALSE(next);
    next = book.offer(candidate(2, kNeg));
    if (late) next = book.finish(kCause, finding(kFlip));
    EXPECT_EQ(next->index, 2u);
    book.finish(kCause, finding(kNeg));
    std::string text;
    for (const Finding& each : book.findings())
      text += each.saved.signature + ":" + std::to_string(each.count) + " ";
    outcomes.push_back(text);
  }
  EXPECT_EQ(outcomes[0], outcomes[1]);
}

TEST(FindingBook, KnownOnesAreCountedAndNeverShrunk) {
  KnownEntry entry;
  entry.cause = kCause;
  entry.operations = {"flip"};
  entry.signature = signature_of(entry.cause, entry.operations);
  entry.reason = "x";
  entry.versions = {"l", "r"};
  const Known known = Known::parse(print_known(entry), "k");
  FindingBook book(known, "l", "r");
  EXPECT_FALSE(book.offer(candidate(0, kFlipNeg)));
  EXPECT_EQ(book.known_counts().at(entry.signature), 1);
  EXPECT_TRUE(book.offer(candidate(1, kNeg)));
  EXPECT_FALSE(book.finish(kCause, finding(kFlip)));  // shrinking led to the known one
  EXPECT_TRUE(book.findings().empty());
  EXPECT_EQ(book.known_counts().at(entry.signature), 2);
}

}  // namespace
}  // namespace uopdiff
