// The one exception type for everything that a person or a file can get wrong.
#pragma once

#include <stdexcept>
#include <string>

namespace uopdiff {

// Decides the exit code: usage 2, input 3, environment 4, internal 70.
enum class ErrorKind { usage, input, environment, internal };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace uopdiff
