#include "harness/program/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/program/error.h"

namespace uopdiff {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw Error(ErrorKind::input, fmt::format("{}: cannot be read", path));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_atomically(const std::string& path, const std::string& text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    out.flush();
    if (!out) throw Error(ErrorKind::environment, fmt::format("{}: cannot be written", temporary));
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw Error(ErrorKind::environment, fmt::format("{}: {}", path, error.message()));
}

}  // namespace uopdiff
