// The checks of outside programs, against programs made for the purpose.
#include "harness/backends/toolchain.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/program/error.h"

namespace uopdiff {
namespace {

namespace fs = std::filesystem;

class Toolchain : public testing::Test {
 protected:
  Toolchain() {
    std::string pattern = (fs::temp_directory_path() / "uopdiff o'test-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    setenv("PATH", directory_.c_str(), 1);
    setenv("UOPDIFF_HOME", directory_.c_str(), 1);
    unsetenv("UOPDIFF_CLANG");
  }
  ~Toolchain() override { fs::remove_all(directory_); }

  std::string tool(const std::string& name, const std::string& says) {
    const fs::path path = directory_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\necho '" << says << "'\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  static ToolCheck check(const std::string& name) {
    for (const ToolCheck& tool : check_tools())
      if (tool.name == name) return tool;
    return {};
  }

  fs::path directory_;
};

TEST_F(Toolchain, NothingIsThere) {
  const auto tools = check_tools();
  ASSERT_EQ(tools.size(), 4u);
  for (const ToolCheck& tool : tools) {
    EXPECT_FALSE(tool.ok) << tool.name;
    EXPECT_EQ(tool.path + tool.version, "");
    EXPECT_NE(tool.install, "");
  }
}

TEST_F(Toolchain, VersionsAreReadAndCompared) {
  const std::string cargo = tool("cargo", "cargo 1.85.0 (d73d2caf9 2024-12-31)");
  tool("python3", "Python 3.9.18");
  EXPECT_TRUE(check("cargo").ok);
  EXPECT_EQ(check("cargo").version, "1.85.0");
  EXPECT_EQ(check("cargo").path, cargo);
  EXPECT_FALSE(check("python3").ok);
  EXPECT_EQ(check("python3").version, "3.9.18");
  tool("python3", "Python 3.10.0");
  EXPECT_TRUE(check("python3").ok);
  tool("cargo", "cargo 1.84.1");
  EXPECT_FALSE(check("cargo").ok);
}

TEST_F(Toolchain, UvOfTheProjectIsTheSecondChoice) {
  const std::string own = tool(".tools/bin/uv", "uv 0.9.1");
  EXPECT_EQ(check("uv").path, own);
  const std::string first = tool("uv", "uv 0.9.2");
  EXPECT_EQ(check("uv").path, first);
}

TEST_F(Toolchain, ClangIsTheChosenOneThenClang19ThenANewEnoughClang) {
  tool("clang", "Debian clang version 14.0.6");
  EXPECT_FALSE(check("clang").ok);
  const std::string plain = tool("clang", "clang version 20.1.0");
  EXPECT_EQ(check("clang").path, plain);
  const std::string exact = tool("clang-19", "Debian clang version 19.1.7 (3)");
  EXPECT_EQ(check("clang").path, exact);
  const std::string chosen = tool("mine", "clang version 21.0.0");
  setenv("UOPDIFF_CLANG", chosen.c_str(), 1);
  EXPECT_EQ(find_clang(), chosen);
}

TEST_F(Toolchain, AWrongChoiceOfClangIsNamed) {
  tool("clang-19", "clang version 19.1.7");
  setenv("UOPDIFF_CLANG", "/no/such/clang", 1);
  try {
    find_clang();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("UOPDIFF_CLANG, which is '/no/such/clang'"), std::string::npos)
        << error.what();
  }
}

TEST_F(Toolchain, TheDirectoryOfClangHoldsNothingElse) {
  const std::string clang = tool("clang-19", "clang version 19.1.7");
  const std::string directory = clang_directory();
  EXPECT_EQ(fs::read_symlink(directory + "/clang"), clang);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 1);
}

}  // namespace
}  // namespace uopdiff
