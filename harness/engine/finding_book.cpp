#include "harness/engine/finding_book.h"

#include <algorithm>

namespace uopdiff {

bool FindingBook::recognise(const Candidate& candidate) {
  const auto operations = operations_of(candidate.program);
  if (const KnownEntry* entry = known_.find(candidate.cause, operations, left_, right_)) {
    ++known_counts_[entry->signature];
    return true;
  }
  for (Finding& finding : findings_) {
    if (finding.saved.cause != candidate.cause) continue;
    if (!std::ranges::includes(operations, operations_of(finding.saved.program))) continue;
    ++finding.count;
    return true;
  }
  return false;
}

std::optional<Candidate> FindingBook::offer(Candidate candidate) {
  if (active_.count(candidate.cause)) {
    waiting_[candidate.cause].push_back(std::move(candidate));
    return std::nullopt;
  }
  if (recognise(candidate)) return std::nullopt;
  active_.insert(candidate.cause);
  return candidate;
}

void FindingBook::add(Case saved) {
  if (const KnownEntry* entry = known_.find(saved.cause, operations_of(saved.program), left_, right_)) {
    ++known_counts_[entry->signature];
    return;
  }
  for (Finding& other : findings_)
    if (other.saved.signature == saved.signature) {
      ++other.count;
      return;
    }
  findings_.push_back({std::move(saved), 1});
}

std::optional<Candidate> FindingBook::finish(const Cause& cause, Case saved) {
  add(std::move(saved));
  auto& queue = waiting_[cause];
  while (!queue.empty()) {
    Candidate next = std::move(queue.front());
    queue.pop_front();
    if (!recognise(next)) return next;
  }
  waiting_.erase(cause);
  active_.erase(cause);
  return std::nullopt;
}

int64_t FindingBook::waiting() const {
  int64_t count = 0;
  for (const auto& [cause, queue] : waiting_) count += static_cast<int64_t>(queue.size());
  return count;
}

}  // namespace uopdiff
