#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "harness/program/error.h"
#include "harness/program/op_table.h"
#include "harness/program/text.h"

namespace uopdiff {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// For messages: short and printable whatever the file holds.
std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string result = "'";
  for (char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte > 0x7e ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result + (text.size() > kLongest ? "...'" : "'");
}

// Reads one line; keeps the column for messages.
class LineReader {
 public:
  LineReader(const std::string& file, int line, std::string text)
      : file_(file), line_(line), text_(std::move(text)) {}

  [[noreturn]] void fail(const std::string& reason) const { fail_at(position_, reason); }
  [[noreturn]] void fail_at(size_t position, const std::string& reason) const {
    throw Error(ErrorKind::input, fmt::format("{}:{}:{}: {}", file_, line_, position + 1, reason));
  }

  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  bool at_end() {
    skip_space();
    return position_ >= text_.size() || text_[position_] == '#';
  }
  size_t position() const { return position_; }
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'{}", c, found()));
  }
  std::string found() const {
    if (position_ >= text_.size()) return ", found the end of the line";
    return ", found " + quoted(std::string_view(text_).substr(position_, 1));
  }

  std::string word(const char* what) {
    skip_space();
    const size_t start = position_;
    while (is_word(peek())) ++position_;
    if (position_ == start) fail(fmt::format("expected {}{}", what, found()));
    return text_.substr(start, position_ - start);
  }
  // Everything a number may be made of; from_chars-like checks follow.
  std::string number_text() {
    skip_space();
    const size_t start = position_;
    while (is_word(peek()) || peek() == '-' || peek() == '+' || peek() == '.') ++position_;
    if (position_ == start) fail("expected a number" + found());
    return text_.substr(start, position_ - start);
  }
  int64_t integer() {
    skip_space();
    const size_t start = position_;
    const std::string text = number_text();
    try {
      size_t used = 0;
      const long long value = std::stoll(text, &used);
      if (used == text.size()) return value;
    } catch (const std::exception&) {
    }
    fail_at(start, quoted(text) + " is not an integer");
  }
  double number() {
    skip_space();
    const size_t start = position_;
    const std::string text = number_text();
    if (text == "true") return 1;
    if (text == "false") return 0;
    try {
      size_t used = 0;
      const double value = std::stod(text, &used);
      if (used == text.size()) return value;
    } catch (const std::exception&) {
    }
    fail_at(start, quoted(text) + " is not a number");
  }
  template <class Item>
  void list(Item item) {
    skip_space();
    expect('[');
    skip_space();
    if (accept(']')) return;
    do {
      item();
      skip_space();
    } while (accept(','));
    expect(']');
  }
  Ints ints() {
    Ints values;
    list([&] { values.push_back(integer()); });
    return values;
  }
  Pairs pairs() {
    Pairs values;
    list([&] {
      skip_space();
      const size_t start = position_;
      const Ints pair = ints();
      if (pair.size() != 2) fail_at(start, "expected a pair [a,b]");
      values.emplace_back(pair[0], pair[1]);
    });
    return values;
  }

 private:
  const std::string& file_;
  int line_;
  std::string text_;
  size_t position_ = 0;
};

AttrValue parse_value(LineReader& in, AttrKind kind) {
  switch (kind) {
    case AttrKind::boolean: {
      const size_t start = in.position();
      const std::string text = in.word("true or false");
      if (text != "true" && text != "false") in.fail_at(start, "expected true or false, not " + quoted(text));
      return text == "true";
    }
    case AttrKind::integer:
      return in.integer();
    case AttrKind::number:
      return in.number();
    case AttrKind::word:
      return in.word("a word");
    case AttrKind::ints:
      return in.ints();
    case AttrKind::pairs:
      return in.pairs();
  }
  in.fail("unknown kind of attribute");
}

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  void line(int number, const std::string& text) {
    LineReader in(file_, number, text);
    if (in.at_end()) return;
    const size_t start = in.position();
    const std::string first = in.word("a name");
    if (!program_.outputs.empty()) in.fail_at(start, "nothing may follow the output line");
    if (first == "output")
      outputs(in);
    else
      node(in, first, start);
    if (!in.at_end()) in.fail("unexpected " + quoted(std::string(1, in.peek())));
  }

  Program finish(int last_line) {
    if (program_.outputs.empty())
      throw Error(ErrorKind::input, fmt::format("{}:{}:1: the program has no output line", file_, last_line));
    try {
      check_assigns(program_);
    } catch (const Error& error) {
      throw Error(ErrorKind::input, fmt::format("{}:{}:1: {}", file_, last_line, error.what()));
    }
    return std::move(program_);
  }

 private:
  void node(LineReader& in, const std::string& name, size_t start) {
    if (positions_.count(name)) in.fail_at(start, quoted(name) + " is defined twice");
    in.skip_space();
    in.expect('=');
    in.skip_space();
    const size_t op_start = in.position();
    Node node;
    node.name = name;
    const std::string op_name = in.word("an operation");
    node.op = find_op(op_name);
    if (!node.op)
      in.fail_at(op_start, fmt::format("unknown operation {} (`uopdiff ops` lists them)", quoted(op_name)));
    if (node.op->category == Category::source) source_type(in, node);
    while (!in.at_end()) operand_or_attr(in, node);
    try {
      positions_[name] = append(program_, std::move(node));
    } catch (const Error& error) {
      in.fail_at(op_start, error.what());
    }
  }

  static void source_type(LineReader& in, Node& node) {
    in.skip_space();
    const size_t start = in.position();
    const std::string name = in.word("a dtype");
    const auto dtype = dtype_from_name(name);
    if (!dtype) in.fail_at(start, fmt::format("unknown dtype {}; known are {}", quoted(name), dtype_names()));
    node.dtype = *dtype;
    node.shape = in.ints();
  }

  void operand_or_attr(LineReader& in, Node& node) {
    in.skip_space();
    const size_t start = in.position();
    const std::string name = in.word("an operand or an attribute");
    if (in.peek() != '=') {
      if (node.op->name == "input" && !node.attrs.count("fill")) {
        node.attrs["fill"] = name;
        return;
      }
      const auto found = positions_.find(name);
      if (found == positions_.end()) in.fail_at(start, quoted(name) + " is not defined above");
      node.src.push_back(found->second);
      return;
    }
    in.expect('=');
    const AttrSpec* spec = node.op->find_attr(name);
    if (!spec) in.fail_at(start, fmt::format("{} has no attribute {}", node.op->name, quoted(name)));
    if (node.attrs.count(name)) in.fail_at(start, fmt::format("attribute {} is given twice", quoted(name)));
    node.attrs[name] = parse_value(in, spec->kind);
  }

  void outputs(LineReader& in) {
    do {
      in.skip_space();
      const size_t start = in.position();
      const std::string name = in.word("a name");
      const auto found = positions_.find(name);
      if (found == positions_.end()) in.fail_at(start, quoted(name) + " is not defined above");
      program_.outputs.push_back(found->second);
      in.skip_space();
    } while (in.accept(','));
  }

  const std::string& file_;
  Program program_;
  std::map<std::string, int> positions_;
};

}  // namespace

Program parse_program(const std::string& text, const std::string& file) {
  Parser parser(file);
  int number = 1;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    parser.line(number++, text.substr(start, end - start));
    start = end + 1;
  }
  return parser.finish(number);
}

}  // namespace uopdiff
