#include "harness/backends/toolchain.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_executable(const fs::path& path) {
  return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::string on_path(const std::string& name) {
  std::istringstream directories(environment("PATH"));
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path path = fs::path(directory) / name;
    std::error_code ignored;
    if (!directory.empty() && is_executable(path)) return fs::absolute(path, ignored).string();
  }
  return "";
}

// The first version number that `path --version` prints.
std::string version_of(const std::string& path) {
  std::string quoted;  // for the shell
  for (char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  const std::string command = fmt::format("'{}' --version 2>/dev/null", quoted);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return "";
  std::array<char, 4096> text{};
  const size_t size = fread(text.data(), 1, text.size() - 1, pipe.get());
  std::string version;
  static const RE2 number(R"((\d+\.\d+(?:\.\d+)?))");
  RE2::PartialMatch(re2::StringPiece(text.data(), size), number, &version);
  return version;
}

bool at_least(const std::string& version, int major, int minor) {
  int have_major = 0, have_minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &have_major, &have_minor) < 1) return false;
  return have_major != major ? have_major > major : have_minor >= minor;
}

std::string uv_path() {
  if (const std::string path = on_path("uv"); !path.empty()) return path;
  const std::string own = source_dir() + "/.tools/bin/uv";
  return is_executable(own) ? own : "";
}

std::string clang_path() {
  if (const std::string chosen = environment("UOPDIFF_CLANG"); !chosen.empty())
    return is_executable(chosen) ? chosen : on_path(chosen);
  if (const std::string path = on_path("clang-19"); !path.empty()) return path;
  const std::string path = on_path("clang");
  return !path.empty() && at_least(version_of(path), 19, 0) ? path : "";
}

ToolCheck check(const char* name, const char* wanted, const std::string& path, int major, int minor,
                const char* install) {
  ToolCheck result{name, wanted, path, path.empty() ? "" : version_of(path), false, install};
  result.ok = !path.empty() && at_least(result.version, major, minor);
  return result;
}

ToolCheck check_uv() {
  return check("uv", ">= 0.5", uv_path(), 0, 5, "run ci/setup, or: python3 -m pip install uv==0.13.9");
}
ToolCheck check_python() {
  return check("python3", ">= 3.10", on_path("python3"), 3, 10,
               "run ci/setup, or: apt-get install python3 python3-venv");
}
ToolCheck check_cargo() {
  return check("cargo", ">= 1.85", on_path("cargo"), 1, 85,
               "run ci/setup, or install Rust from https://rustup.rs");
}
ToolCheck check_clang() {
  ToolCheck result =
      check("clang", ">= 19", clang_path(), 19, 0, "run ci/setup, or: apt-get install clang-19");
  if (const std::string chosen = environment("UOPDIFF_CLANG"); !chosen.empty() && !result.ok)
    result.install = fmt::format("unset UOPDIFF_CLANG, which is '{}', and {}", chosen, result.install);
  return result;
}

std::string require(const ToolCheck& tool) {
  if (tool.ok) return tool.path;
  throw Error(ErrorKind::environment,
              tool.path.empty()
                  ? fmt::format("{} {} is not installed: {}", tool.name, tool.wanted, tool.install)
                  : fmt::format("{} at {} is version '{}', {} is needed: {}", tool.name, tool.path,
                                tool.version, tool.wanted, tool.install));
}

// Owns the private directory with the `clang` link.
class ClangDirectory {
 public:
  ClangDirectory() {
    const std::string clang = find_clang();
    std::string pattern = (fs::temp_directory_path() / "uopdiff-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw Error(ErrorKind::environment, fmt::format("cannot make a directory like {}", pattern));
    path_ = pattern;
    fs::create_symlink(clang, fs::path(path_) / "clang");
  }
  ~ClangDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ClangDirectory(const ClangDirectory&) = delete;
  ClangDirectory& operator=(const ClangDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string source_dir() {
  const std::string home = environment("UOPDIFF_HOME");
  return home.empty() ? UOPDIFF_SOURCE_DIR : home;
}

std::string state_dir() {
  const std::string state = environment("UOPDIFF_STATE");
  if (!state.empty()) return state;
  const std::string home = environment("UOPDIFF_HOME");
  return home.empty() ? UOPDIFF_STATE_DIR : home + "/build";
}

std::string find_uv() {
  static const std::string path = require(check_uv());
  return path;
}
std::string find_cargo() {
  static const std::string path = require(check_cargo());
  return path;
}
std::string find_clang() { return require(check_clang()); }

std::string clang_directory() {
  static const ClangDirectory directory;
  return directory.path();
}

std::vector<ToolCheck> check_tools() { return {check_python(), check_uv(), check_cargo(), check_clang()}; }

}  // namespace uopdiff
