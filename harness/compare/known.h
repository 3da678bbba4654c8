// corpus/known.toml: divergences that are accepted, with reason and versions; counted, and no failure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/compare/signature.h"

namespace uopdiff {

struct KnownEntry {
  std::string signature;
  Cause cause;
  std::set<std::string> operations;
  bool any_program =
      false;  // the cause alone is enough: its message or path leaves nothing to the operations
  std::string reason;
  std::vector<std::string> versions;  // the specs it was seen with, options left out
  int line = 0;                       // in the file
};

class Known {
 public:
  Known() = default;
  // Throws Error(input) with file, line and what was expected.
  static Known load(const std::string& path);
  static Known parse(const std::string& text, const std::string& file);

  // The entry that explains a divergence of `cause` in a program that uses `operations` (those of the entry
  // are among them, or it is for any program) between these two specs; null when there is none.
  const KnownEntry* find(const Cause& cause, const std::set<std::string>& operations, const std::string& left,
                         const std::string& right) const;
  const std::vector<KnownEntry>& entries() const { return entries_; }

 private:
  std::vector<KnownEntry> entries_;
};

std::string print_known(const KnownEntry& entry);  // one [[known]] table, parses back to an equal entry

}  // namespace uopdiff
