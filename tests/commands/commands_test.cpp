// The built program as a person calls it: output, one clear line for bad input, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

namespace {

struct Outcome {
  int code = -1;
  std::string output;  // of both streams
};

Outcome run(const std::string& arguments, const std::string& environment = "") {
  const std::string command = environment + " " + UOPDIFF + " " + arguments + " 2>&1 </dev/null";
  Outcome result;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> chunk;
  while (const size_t size = fread(chunk.data(), 1, chunk.size(), pipe))
    result.output.append(chunk.data(), size);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class Commands : public testing::Test {
 protected:
  Commands() { std::filesystem::create_directories(directory_); }
  ~Commands() override { std::filesystem::remove_all(directory_); }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
    return directory_ + "/" + name;
  }
  const std::string directory_ = testing::TempDir() + "uopdiff-commands-test-" + std::to_string(getpid());
};

// One line, no stack trace, and the code that the documentation says.
void expect_refused(const std::string& arguments, int code, const std::string& part,
                    const std::string& environment = "") {
  const Outcome result = run(arguments, environment);
  EXPECT_EQ(result.code, code) << arguments << "\n" << result.output;
  EXPECT_NE(result.output.find(part), std::string::npos) << arguments << "\n" << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  EXPECT_TRUE(result.output.starts_with("uopdiff: ")) << result.output;
}

TEST_F(Commands, HelpOfEveryCommandIsThere) {
  const Outcome all = run("--help");
  EXPECT_EQ(all.code, 0);
  EXPECT_NE(all.output.find("Exit codes:"), std::string::npos);
  for (const char* command : {"fuzz", "replay", "show", "generate", "ops", "doctor"}) {
    EXPECT_NE(all.output.find(command), std::string::npos);
    const Outcome help = run(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.output.find("--json"), std::string::npos) << command;
  }
  EXPECT_EQ(run("--version").code, 0);
}

TEST_F(Commands, WrongArguments) {
  expect_refused("", 2, "subcommand");
  expect_refused("fuzzz", 2, "fuzzz");
  expect_refused("fuzz --fro 2m", 2, "--fro");
  expect_refused("fuzz --for soon", 2, "--for soon: expected a time such as 90s, 2m or 5h");
  expect_refused("fuzz --for 0s", 2, "expected a time");
  expect_refused("fuzz --jobs 0", 2, "--jobs");
  expect_refused("fuzz --tier none", 2, "--tier");
  expect_refused("fuzz --profile wild", 2, "unknown profile 'wild'");
  expect_refused("fuzz --left tinygrid", 2, "unknown compiler 'tinygrid'");
  expect_refused("fuzz --right morok@7", 2, "unknown version '7'");
  expect_refused("fuzz --cases 1 --out " + directory_ + "/..", 2, "a run wants a new or an empty folder");
  expect_refused("generate --profile wild", 2, "unknown profile 'wild'");
  expect_refused("replay", 2, "CASE");
}

TEST_F(Commands, UnreadableInput) {
  expect_refused("show /no/such/file", 3, "/no/such/file: cannot be read");
  expect_refused("replay /no/such/file", 3, "no such file or folder");
  expect_refused("show " + file("a.json", "{"), 3, "a.json:1: not JSON");
  expect_refused("show " + file("b.uop", "a = input f32[3]\nb = nge a\noutput b\n"), 3,
                 "b.uop:2:5: unknown operation 'nge'");
  expect_refused("replay " + file("c.uop", "a = input f32[3]\nb = add a a a\noutput b\n"), 3,
                 "c.uop:2:5: add: takes 2 operand(s), not 3");
  expect_refused("fuzz --cases 1 --known " + file("k.toml", "[[known]]\n"), 3,
                 "k.toml:1: a known entry needs");
  expect_refused("fuzz --cases 1 --known /no/such/known.toml", 3, "cannot be read");
  std::filesystem::create_directories(directory_ + "/empty");
  expect_refused("replay " + directory_ + "/empty", 3, "no case files there");
}

TEST_F(Commands, MissingToolsAreNamedWithTheirInstallation) {
  const std::string program = file("p.uop", "a = input f32[3]\nb = neg a\noutput b\n");
  const std::string empty = "PATH=" + directory_ + " UOPDIFF_HOME=" + directory_;
  expect_refused("replay " + program, 4, "uv >= 0.5 is not installed: run ci/setup", empty);
  const Outcome doctor = run("doctor", empty);
  EXPECT_EQ(doctor.code, 4);
  for (const char* tool : {"python3", "uv", "cargo", "clang"})
    EXPECT_NE(doctor.output.find(tool), std::string::npos);
  EXPECT_NE(doctor.output.find("https://rustup.rs"), std::string::npos);
  const auto json = nlohmann::json::parse(run("doctor --json", empty).output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["tools"].size(), 4u);
}

TEST_F(Commands, GenerateIsDeterministicAndReadable) {
  const Outcome first = run("generate --cases 5 --seed 3"), again = run("generate --cases 5 --seed 3");
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.output, again.output);
  const auto json = nlohmann::json::parse(run("generate --cases 2 --seed 3 --from 3 --json").output);
  EXPECT_EQ(json[0]["index"], 3);
  EXPECT_NE(first.output.find("id " + json[0]["id"].get<std::string>()), std::string::npos);
  // What generate prints is a program that show reads.
  const std::string text = run("generate --cases 1 --seed 9").output;
  EXPECT_EQ(run("show " + file("g.uop", text)).code, 0);
}

TEST_F(Commands, ShowPrintsProgramAndData) {
  const Outcome shown =
      run("show " + file("s.uop", "a = input f32[2,2] iota\nb = cumsum a axis=1\noutput b\n"));
  EXPECT_EQ(shown.code, 0);
  EXPECT_NE(shown.output.find("b = cumsum a axis=1"), std::string::npos);
  EXPECT_NE(shown.output.find("a f32[2,2] = 0 1 2 3"), std::string::npos);
  EXPECT_EQ(shown.output.find('\x1b'), std::string::npos);  // no colour where it is no terminal
  EXPECT_EQ(run("show --expanded " + directory_ + "/s.uop").output.find("cumsum"), std::string::npos);
}

TEST_F(Commands, OpsListsEveryOperation) {
  const auto json = nlohmann::json::parse(run("ops --offline --json").output);
  EXPECT_GT(json.size(), 45u);
  EXPECT_NE(run("ops --offline").output.find("floordiv"), std::string::npos);
}

}  // namespace
