// Decides, in order of programs, which divergences are new, which are known, and which are one that was
// shrunk already.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/compare/known.h"
#include "harness/engine/case_file.h"

namespace uopdiff {

struct Candidate {
  uint64_t index = 0;
  Program program;
  Cause cause;
  std::string profile;
};

struct Finding {
  Case saved;
  int64_t count = 1;  // programs that show it
};

// One cause is shrunk at a time; other programs of that cause wait, because most of them turn out to be the
// same finding: their operations include those of its minimal program. So the outcome does not depend on
// timing.
class FindingBook {
 public:
  FindingBook(const Known& known, std::string left, std::string right)
      : known_(known), left_(std::move(left)), right_(std::move(right)) {}

  // Takes a divergence; candidates have to be offered in order of their index. Returns one to shrink, or
  // nothing.
  std::optional<Candidate> offer(Candidate candidate);

  // A shrink of `cause` ended with `saved`. Returns the next one to shrink.
  std::optional<Candidate> finish(const Cause& cause, Case saved);

  const std::vector<Finding>& findings() const { return findings_; }
  const std::map<std::string, int64_t>& known_counts() const { return known_counts_; }  // by signature
  int64_t waiting() const;  // divergences that were neither shrunk nor recognised

 private:
  bool recognise(const Candidate& candidate);
  void add(Case saved);

  const Known& known_;
  std::string left_, right_;
  std::vector<Finding> findings_;
  std::map<std::string, int64_t> known_counts_;
  std::set<Cause> active_;
  std::map<Cause, std::deque<Candidate>> waiting_;
};

}  // namespace uopdiff
