#include "harness/backends/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/backends/toolchain.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

// One backend is one entry here and one folder beside this file.
struct Backend {
  std::string compiler;
  std::vector<std::string> versions, options;
  Launch (*launch)(const BackendSpec&);
  Launch (*prepare)(const BackendSpec&);
};

// Empty parts, too: a forgotten option ("tinygrad+") is an unknown one.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Launch tinygrad_launch(const BackendSpec& spec) {
  return {{find_uv(), "run", "--no-project", "--with", "tinygrad==" + spec.version, "python",
           source_dir() + "/harness/backends/tinygrad/worker.py"},
          {"UV_PYTHON_DOWNLOADS=never", "PYTHONDONTWRITEBYTECODE=1"},
          "/"};
}

Launch tinygrad_prepare(const BackendSpec& spec) {
  return {{find_uv(), "run", "--no-project", "--with", "tinygrad==" + spec.version, "python", "-c",
           "import tinygrad"},
          {"UV_PYTHON_DOWNLOADS=never"},
          "/"};
}

// The crate pins the compiler's version, so a version is a crate.
Launch morok_cargo(std::vector<std::string> tail) {
  std::vector<std::string> command{find_cargo(), "test", "--quiet", "--locked", "--test", "worker"};
  command.insert(command.end(), tail.begin(), tail.end());
  return {command,
          {"CARGO_TARGET_DIR=" + state_dir() + "/morok-target"},
          source_dir() + "/harness/backends/morok"};
}

Launch morok_launch(const BackendSpec&) { return morok_cargo({"--", "--exact", "serve", "--nocapture"}); }
Launch morok_prepare(const BackendSpec&) { return morok_cargo({"--no-run"}); }

Launch command_launch(const BackendSpec& spec) {
  std::vector<std::string> words = split(spec.version, ' ');
  std::erase(words, "");
  return {words, {}, "/", false};
}
Launch nothing(const BackendSpec&) { return {}; }

const std::vector<Backend>& backends() {
  static const std::vector<Backend> table{
      {"tinygrad", {"0.12.0"}, {"contiguous", "expanded", "noopt"}, tinygrad_launch, tinygrad_prepare},
      {"morok", {"0.1.0-alpha.2"}, {"contiguous", "expanded", "noopt"}, morok_launch, morok_prepare},
      {"command", {}, {}, command_launch, nothing},
  };
  return table;
}

[[noreturn]] void fail(const std::string& text, const std::string& reason) {
  throw Error(ErrorKind::usage, fmt::format("backend '{}': {}", text, reason));
}

const Backend& backend_of(const std::string& compiler, const std::string& text) {
  std::vector<std::string> names;
  for (const Backend& backend : backends()) {
    if (backend.compiler == compiler) return backend;
    if (backend.compiler != "command") names.push_back(backend.compiler + "@" + backend.versions.back());
  }
  fail(text, fmt::format("unknown compiler '{}'; known are {}", compiler, fmt::join(names, ", ")));
}

}  // namespace

BackendSpec BackendSpec::parse(const std::string& text) {
  BackendSpec spec;
  if (text.starts_with("command:")) {
    if (!text.starts_with("command:/")) fail(text, "a command starts with the absolute path of a program");
    return {"command", text.substr(8), {}};
  }
  const auto parts = split(text, '+');
  const std::string& head = parts[0];
  const size_t at = head.find('@');
  spec.compiler = head.substr(0, at);
  const Backend& backend = backend_of(spec.compiler, text);
  spec.version = at == std::string::npos ? backend.versions.back() : head.substr(at + 1);
  if (std::ranges::find(backend.versions, spec.version) == backend.versions.end())
    fail(text,
         fmt::format("unknown version '{}'; known are {}", spec.version, fmt::join(backend.versions, ", ")));
  for (size_t i = 1; i < parts.size(); ++i) {
    if (std::ranges::find(backend.options, parts[i]) == backend.options.end())
      fail(text,
           fmt::format("unknown option '+{}'; known are +{}", parts[i], fmt::join(backend.options, ", +")));
    spec.options.push_back(parts[i]);
  }
  std::ranges::sort(spec.options);
  spec.options.erase(std::unique(spec.options.begin(), spec.options.end()), spec.options.end());
  return spec;
}

std::string BackendSpec::text() const {
  if (compiler == "command") return "command:" + version;
  std::string text = compiler + "@" + version;
  for (const std::string& option : options) text += "+" + option;
  return text;
}

bool BackendSpec::has(const std::string& option) const {
  return std::ranges::find(options, option) != options.end();
}

std::vector<std::string> BackendSpec::worker_options() const {
  std::vector<std::string> result = options;
  std::erase_if(result,
                [](const std::string& option) { return option == kExpanded || option == kContiguous; });
  return result;
}

Launch launch_of(const BackendSpec& spec) { return backend_of(spec.compiler, spec.text()).launch(spec); }
Launch preparation_of(const BackendSpec& spec) {
  return backend_of(spec.compiler, spec.text()).prepare(spec);
}

}  // namespace uopdiff
