// The verdict from two replies and the reference: class, side, layer.
#include "harness/compare/verdict.h"

#include <gtest/gtest.h>

#include <cstring>

namespace uopdiff {
namespace {

Bytes floats(std::vector<float> values) {
  Bytes data(values.size() * 4);
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

Reference reference_of(std::vector<float> values) {
  Reference reference;
  RefTensor output{DType::f32, {static_cast<int64_t>(values.size())}, {}};
  for (float value : values) output.elements.push_back(exact_float(value));
  reference.outputs.push_back(output);
  return reference;
}

Reply good(std::vector<float> values) {
  Reply reply;
  reply.step = "execute";
  reply.outputs.push_back({"f32", {static_cast<int64_t>(values.size())}, floats(std::move(values))});
  return reply;
}

Reply failed(Status status, const std::string& message, const std::string& step = "schedule") {
  Reply reply;
  reply.status = status;
  reply.message = message;
  reply.step = step;
  return reply;
}

Verdict judged(const Reference& reference, Reply left_reply, Reply right_reply, bool one_compiler = false) {
  Side left{"tinygrad", "tinygrad@1", std::move(left_reply), {}, "", {}},
      right{"morok", "morok@1", std::move(right_reply), {}, "", {}};
  return judge(reference, left, right, {.one_compiler = one_compiler});
}

Cause cause_of(const Reference& reference, Reply left, Reply right, bool one_compiler = false) {
  return judged(reference, std::move(left), std::move(right), one_compiler).cause;
}

TEST(Verdict, Agreement) {
  EXPECT_EQ(cause_of(reference_of({1, 2}), good({1, 2}), good({1, 2})).verdict_class, VerdictClass::agree);
}

TEST(Verdict, TheReferenceNamesTheWrongSide) {
  const Verdict verdict = judged(reference_of({1, 2}), good({1, 2}), good({1, 3}));
  EXPECT_EQ(verdict.cause.path, "wrong-values/morok/float");
  EXPECT_EQ(verdict.facets[0].reason,
            "morok: output 0 has 1 of 2 elements wrong, first at 1: 3 instead of 2");
  EXPECT_NE(verdict.layer.find("code generation"), std::string::npos);
}

TEST(Verdict, BothWrongAlikeOrNot) {
  EXPECT_EQ(cause_of(reference_of({1}), good({2}), good({2})).path, "both-wrong/equal/float");
  EXPECT_EQ(cause_of(reference_of({1}), good({2}), good({3})).path, "both-wrong/different/float");
}

TEST(Verdict, UndeterminedElementsAreCountedAndNeverReported) {
  Reference reference = reference_of({1, 2});
  reference.outputs[0].elements[1] = undetermined(Undetermined::interval);
  const Verdict verdict = judged(reference, good({1, 7}), good({1, 8}));
  EXPECT_EQ(verdict.cause.verdict_class, VerdictClass::agree);
  EXPECT_EQ(verdict.undetermined, 1);
  EXPECT_EQ(verdict.elements, 2);
}

TEST(Verdict, Failures) {
  const Reference reference = reference_of({1});
  const Cause one = cause_of(reference, good({1}), failed(Status::panicked, "index 7 (at x.rs:12)"));
  EXPECT_EQ(one.verdict_class, VerdictClass::failure);
  EXPECT_EQ(one.path, "failure/morok/panicked/schedule");
  EXPECT_EQ(one.message, "index # (at x.rs:#)");
  EXPECT_EQ(cause_of(reference, failed(Status::timeout, "no reply", ""), good({1})).path,
            "failure/tinygrad/limit");
  EXPECT_EQ(cause_of(reference, failed(Status::out_of_memory, "more", ""), good({1})).path,
            "failure/tinygrad/limit");
  EXPECT_EQ(cause_of(reference, failed(Status::crashed, "x", ""), failed(Status::rejected, "y")).path,
            "both-failed/tinygrad/crashed+morok/rejected/schedule");
}

TEST(Verdict, UnsupportedIsNoDivergence) {
  EXPECT_EQ(cause_of(reference_of({1}), good({1}), failed(Status::unsupported, "operation x")).verdict_class,
            VerdictClass::unsupported);
}

TEST(Verdict, ACrashWhereHardwareMayTrapSaysNothing) {
  Reference reference = reference_of({1});
  reference.may_trap = true;
  EXPECT_EQ(cause_of(reference, good({1}), failed(Status::crashed, "signal", "")).verdict_class,
            VerdictClass::undetermined);
  EXPECT_EQ(cause_of(reference, good({1}), failed(Status::panicked, "boom")).verdict_class,
            VerdictClass::failure);
}

TEST(Verdict, AnOutputOfAnotherShapeOrDtypeOrNoneIsWrong) {
  Reply reply = good({1, 2});
  reply.outputs[0].shape = {2, 1};
  EXPECT_EQ(cause_of(reference_of({1, 2}), good({1, 2}), reply).path, "wrong-values/morok/float");
  reply = good({1, 2});
  reply.outputs.clear();
  EXPECT_EQ(cause_of(reference_of({1, 2}), reply, good({1, 2})).path, "wrong-values/tinygrad/float");
}

TEST(Verdict, ABackendAgainstItselfShowsOnlyWhatDoesNotReproduce) {
  const Reference reference = reference_of({1});
  const auto itself = [&](Reply left, Reply right) {
    return cause_of(reference, std::move(left), std::move(right), true).verdict_class;
  };
  EXPECT_EQ(itself(good({2}), good({2})), VerdictClass::agree);
  EXPECT_EQ(itself(failed(Status::panicked, "b"), failed(Status::panicked, "b")), VerdictClass::agree);
  EXPECT_EQ(itself(good({1}), good({2})), VerdictClass::wrong_values);
  EXPECT_EQ(itself(good({1}), failed(Status::panicked, "b")), VerdictClass::failure);
  EXPECT_EQ(itself(good({1}), failed(Status::timeout, "")), VerdictClass::undetermined);
}

TEST(Verdict, SidesAreNamedByWhatTellsThemApart) {
  using Names = std::pair<std::string, std::string>;
  const auto names = [](const char* left, const char* right) {
    return side_names(BackendSpec::parse(left), BackendSpec::parse(right));
  };
  EXPECT_EQ(names("tinygrad", "morok+noopt"), Names("tinygrad", "morok"));
  EXPECT_EQ(names("morok", "morok"), Names("left", "right"));
  EXPECT_EQ(names("morok", "morok+noopt+contiguous"), Names("morok", "morok+contiguous+noopt"));
}

TEST(Verdict, ProgramsThatDifferOnPurposeAreComparedByTheirValuesOnly) {
  Side left{"a", "a", good({1}), {}, "", {}}, right{"b", "b", good({2}), {}, "", {}};
  const Verdict verdict = judge(reference_of({1}), left, right, {.structure = false});
  EXPECT_EQ(verdict.cause.path, "wrong-values/b/float");
  EXPECT_EQ(verdict.structure.unsettled_reason, "the sides have different programs on purpose");
}

TEST(Verdict, KernelsThatCannotBeReadAreSaidToBeSo) {
  Reply broken = good({1});
  broken.kernels = nlohmann::json::array({1});
  const Verdict verdict = judged(reference_of({1}), good({1}), broken);
  EXPECT_FALSE(verdict.structure.settled);
  EXPECT_TRUE(verdict.structure.unsettled_reason.starts_with("kernel 0: "))
      << verdict.structure.unsettled_reason;
}

}  // namespace
}  // namespace uopdiff
