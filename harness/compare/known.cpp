#include "harness/compare/known.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/program/error.h"
#include "harness/program/files.h"

namespace uopdiff {
namespace {

[[noreturn]] void fail(const std::string& file, const toml::source_region& where, const std::string& reason) {
  throw Error(ErrorKind::input, fmt::format("{}:{}: {}", file, where.begin.line, reason));
}

std::string text_of(const toml::table& table, const char* key, const std::string& file) {
  const auto value = table[key].value<std::string>();
  if (!value) fail(file, table.source(), fmt::format("a known entry needs the string '{}'", key));
  return *value;
}

std::vector<std::string> list_of(const toml::table& table, const char* key, const std::string& file) {
  const toml::array* array = table[key].as_array();
  if (!array) fail(file, table.source(), fmt::format("a known entry needs the list '{}'", key));
  std::vector<std::string> items;
  for (const toml::node& item : *array) {
    const auto text = item.value<std::string>();
    if (!text) fail(file, item.source(), fmt::format("'{}' is a list of strings", key));
    items.push_back(*text);
  }
  return items;
}

KnownEntry read_entry(const toml::table& table, const std::string& file) {
  KnownEntry entry;
  entry.line = static_cast<int>(table.source().begin.line);
  entry.signature = text_of(table, "signature", file);
  const std::string name = text_of(table, "class", file);
  const auto verdict_class = class_from_name(name);
  if (!verdict_class || !is_divergence(*verdict_class))
    fail(file, table.source(), fmt::format("'{}' is not a class of divergence", name));
  entry.cause = {*verdict_class, text_of(table, "path", file), table["message"].value_or(std::string())};
  for (const std::string& op : list_of(table, "operations", file)) entry.operations.insert(op);
  entry.any_program = table["any_program"].value_or(false);
  entry.versions = list_of(table, "versions", file);
  entry.reason = text_of(table, "reason", file);
  if (entry.reason.empty()) fail(file, table.source(), "the reason is empty");
  if (entry.signature != signature_of(entry.cause, entry.operations))
    fail(
        file, table.source(),
        fmt::format("signature '{}' does not belong to this class, path, message and operations (that is {})",
                    entry.signature, signature_of(entry.cause, entry.operations)));
  return entry;
}

std::string without_options(const std::string& spec) { return spec.substr(0, spec.find('+')); }

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}  // TOML's escapes are JSON's

std::string quoted_list(const auto& items) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(quoted(item));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

Known Known::parse(const std::string& text, const std::string& file) {
  Known known;
  try {
    const toml::table root = toml::parse(text, file);
    for (const auto& [key, value] : root)
      if (key != "known") fail(file, value.source(), fmt::format("unknown key '{}'", std::string(key.str())));
    if (!root.contains("known")) return known;
    const toml::array* entries = root["known"].as_array();
    if (!entries) fail(file, root.source(), "expected [[known]] tables");
    for (const toml::node& item : *entries) {
      if (!item.is_table()) fail(file, item.source(), "expected a [[known]] table");
      known.entries_.push_back(read_entry(*item.as_table(), file));
    }
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
  return known;
}

Known Known::load(const std::string& path) { return parse(read_file(path), path); }

const KnownEntry* Known::find(const Cause& cause, const std::set<std::string>& operations,
                              const std::string& left, const std::string& right) const {
  const auto has_version = [](const KnownEntry& entry, const std::string& spec) {
    return std::ranges::find(entry.versions, without_options(spec)) != entry.versions.end();
  };
  for (const KnownEntry& entry : entries_)
    if (entry.cause == cause && (entry.any_program || std::ranges::includes(operations, entry.operations)) &&
        has_version(entry, left) && has_version(entry, right))
      return &entry;
  return nullptr;
}

std::string print_known(const KnownEntry& entry) {
  return fmt::format(
      "[[known]]\nsignature = {}\nclass = {}\npath = {}\nmessage = {}\noperations = {}\n{}versions = "
      "{}\nreason = {}\n",
      quoted(entry.signature), quoted(class_name(entry.cause.verdict_class)), quoted(entry.cause.path),
      quoted(entry.cause.message), quoted_list(entry.operations),
      entry.any_program ? "any_program = true\n" : "", quoted_list(entry.versions), quoted(entry.reason));
}

}  // namespace uopdiff
