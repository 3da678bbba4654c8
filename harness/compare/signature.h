// What makes two divergences "the same": class, facet path, message without numbers, operations of the
// minimal program.
#pragma once

#include <set>
#include <string>

#include "harness/compare/verdict_class.h"
#include "harness/program/program.h"

namespace uopdiff {

// The part that shrinking has to keep; known before anything is shrunk.
struct Cause {
  VerdictClass verdict_class = VerdictClass::agree;
  std::string path;     // stable facet path, e.g. "failure/morok/panicked/schedule"
  std::string message;  // of a failure, by normal_message
  auto operator<=>(const Cause&) const = default;
};

// Numbers, lists of numbers, quoted names and addresses replaced, so that programs of one fault agree.
std::string normal_message(const std::string& message);

// Names of the operations (sources without a buffer included, `input` not).
std::set<std::string> operations_of(const Program& program);

// 8 hex digits over the cause and the operations of the minimal program.
std::string signature_of(const Cause& cause, const std::set<std::string>& operations);

}  // namespace uopdiff
