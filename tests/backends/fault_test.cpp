// A worker that dies, hangs or talks nonsense costs one request; the next one works, and no process is left
// behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "harness/backends/worker.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

WorkerLimits quick() {
  WorkerLimits limits;
  limits.start_seconds = 20;
  limits.case_seconds = 10;  // a busy machine must not make a timeout of another fault
  limits.memory_mb = 400;
  return limits;
}

constexpr double kShort = 0.6;  // for what hangs

BackendSpec fake(const std::string& behaviour) {
  return BackendSpec::parse("command:/usr/bin/env python3 " + std::string(UOPDIFF_TEST_DIR) +
                            "/fake_worker.py " + behaviour);
}

// Members of a process group that are still there (zombies do not count: their parent is the init process).
int alive_in(int group) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "stat");
    std::string text;
    std::getline(in, text);
    const size_t end = text.rfind(')');
    if (end == std::string::npos) continue;
    char state = 0;
    int parent = 0, its_group = 0;
    std::sscanf(text.c_str() + end + 1, " %c %d %d", &state, &parent, &its_group);
    count += its_group == group && state != 'Z';
  }
  return count;
}

void expect_gone(int group) {
  for (int k = 0; k < 100 && alive_in(group) > 0; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(alive_in(group), 0);
}

struct Fault {
  const char* behaviour;
  Status status;
  const char* message;  // its beginning
};
class WorkerFault : public testing::TestWithParam<Fault> {};

TEST_P(WorkerFault, CostsOneRequest) {
  Worker worker(fake(GetParam().behaviour), quick());
  Request request;
  EXPECT_EQ(worker.call(request).status, Status::ok);
  const int group = worker.group();
  if (GetParam().status == Status::timeout) worker.limits().case_seconds = kShort;
  const Reply reply = worker.call(request);
  worker.limits().case_seconds = quick().case_seconds;
  EXPECT_STREQ(status_name(reply.status), status_name(GetParam().status)) << reply.message;
  EXPECT_TRUE(reply.message.starts_with(GetParam().message)) << reply.message;
  EXPECT_LE(reply.message.size(), 500u);
  EXPECT_NO_THROW(nlohmann::json(reply.message).dump());  // UTF-8, whatever the worker sent
  expect_gone(group);
  EXPECT_EQ(worker.call(request).status, Status::ok);
  EXPECT_EQ(worker.restarts(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerFault,
    testing::Values(Fault{"segfault", Status::crashed, "the worker died: signal 11"},
                    Fault{"exit", Status::crashed, "the worker died: exit code 3"},
                    Fault{"hang", Status::timeout, "no reply within 0.6 s"},
                    Fault{"hang-with-child", Status::timeout, "no reply within"},
                    Fault{"exit-with-child", Status::crashed, "the worker died: exit code 0"},
                    Fault{"exit-with-socket-held", Status::crashed, "the worker died: exit code 4"},
                    Fault{"dribble", Status::timeout, "no reply within 0.6 s"},
                    Fault{"killed", Status::out_of_memory, "the worker died: signal 9"},
                    Fault{"exit-137", Status::out_of_memory, "the worker died: signal 9"},
                    Fault{"memory", Status::out_of_memory, "more than 400 MB"},
                    Fault{"memory-error", Status::out_of_memory, "the worker died"},
                    Fault{"close", Status::protocol_error, "the worker closed its socket"},
                    Fault{"half", Status::crashed, "the worker died half-way through a reply"},
                    Fault{"rubbish", Status::protocol_error, "not a reply"},
                    Fault{"long-rubbish", Status::protocol_error, "not a reply"},
                    Fault{"harness-status", Status::protocol_error, "a reply with the status crashed"},
                    Fault{"short-data", Status::protocol_error, "an output f32[2] with 4 bytes of data"},
                    Fault{"number", Status::protocol_error, "not a reply"},
                    Fault{"wrong-id", Status::protocol_error, "a reply to request -1"},
                    Fault{"no-status", Status::protocol_error, "not a reply"},
                    Fault{"bad-data", Status::protocol_error, "data is not base64"},
                    Fault{"twice", Status::protocol_error, "more than one reply"}),
    [](const auto& each) {
      std::string name = each.param.behaviour;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(Worker, WhatItPrintedIsKept) {
  Worker worker(fake("exit 1"), quick());
  EXPECT_EQ(worker.call({}).captured, "going down\n");
}

TEST(Worker, WhatItPrintedIsValidText) {
  Worker worker(fake("print-bytes 1"), quick());
  EXPECT_EQ(worker.call({}).captured, "caf\xc3\xa9 ??[31m\n");
}

TEST(Worker, WhatItPrintedIsOfThisRequest) {
  Worker worker(fake("exit 1"), quick());
  worker.call({});
  EXPECT_EQ(worker.call({}).captured, "going down\n");
}

TEST(Worker, PrintingForEverEnds) {
  WorkerLimits limits = quick();
  limits.case_seconds = 30;
  Worker worker(fake("print 1"), limits);
  const Reply reply = worker.call({});
  EXPECT_EQ(reply.status, Status::protocol_error);
  EXPECT_EQ(reply.message, "the worker printed more than 64 MB");
  EXPECT_EQ(reply.captured.size(), 2000u);
}

// What a worker does after its reply is not put on the next program.
TEST(Worker, AnIdleWorkerThatDiesOrSpeaksCostsNothing) {
  for (const char* behaviour : {"die-later 1", "twice-later 1"}) {
    Worker worker(fake(behaviour), quick());
    EXPECT_EQ(worker.call({}).status, Status::ok);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const Reply reply = worker.call({});
    EXPECT_EQ(reply.status, Status::ok) << behaviour << ": " << reply.message;
    EXPECT_EQ(worker.restarts(), 1);
  }
}

TEST(Worker, ALargeRequestToADeafWorkerTimesOut) {
  Worker worker(fake("deaf-later 1"), quick());
  EXPECT_EQ(worker.call({}).status, Status::ok);
  Request request;
  request.inputs["a"].resize(8 << 20);
  worker.limits().case_seconds = kShort;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(worker.call(request).status, Status::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  worker.limits().case_seconds = quick().case_seconds;
  EXPECT_EQ(worker.call({}).status, Status::ok);
}

TEST(Worker, ALargeRequestArrives) {
  WorkerLimits limits = quick();
  limits.case_seconds = 20;
  Worker worker(fake("good"), limits);
  Request request;
  request.inputs["a"].resize(8 << 20);
  EXPECT_EQ(worker.call(request).status, Status::ok);
}

TEST(Worker, AReplyThatNobodyFetchedIsNotTakenForTheNext) {
  Worker worker(fake("good"), quick());
  worker.send({});
  EXPECT_EQ(worker.call({}).status, Status::ok);
}

TEST(Worker, AReplyThatWaitedForTheHarnessIsNoTimeout) {
  Worker worker(fake("huge 1"), [] {
    WorkerLimits limits = quick();
    limits.case_seconds = 2;
    limits.memory_mb = 4000;
    return limits;
  }());
  worker.start();
  worker.send({});
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(worker.receive().status, Status::ok);
}

TEST(Worker, IsRetiredAfterSoManyRequests) {
  WorkerLimits limits = quick();
  limits.recycle_requests = 2;
  Worker worker(fake("hang 3"), limits);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(worker.call({}).status, Status::ok);
  EXPECT_EQ(worker.restarts(), 0);
}

TEST(Worker, AFailedStartLeavesNothingAndTheNextOneWorks) {
  const auto flag = std::filesystem::temp_directory_path() / fmt::format("uopdiff-first-{}", getpid());
  std::filesystem::remove(flag);
  Worker worker(fake("bad-first-start " + flag.string()), quick());
  EXPECT_THROW(worker.call({}), Error);
  EXPECT_EQ(worker.group(), 0);
  EXPECT_EQ(worker.call({}).status, Status::ok);
  std::filesystem::remove(flag);
}

TEST(Worker, AReplyOf50MegabytesArrives) {
  WorkerLimits limits = quick();
  limits.case_seconds = 20;
  limits.memory_mb = 4000;
  Worker worker(fake("huge 1"), limits);
  const Reply reply = worker.call({});
  EXPECT_EQ(reply.status, Status::ok);
  EXPECT_EQ(reply.message.size(), size_t{50} << 20);
}

TEST(Worker, IsRetiredWhenItHasGrownAndThatIsNoFault) {
  Worker worker(fake("fat 1"), quick());
  EXPECT_EQ(worker.call({}).status, Status::ok);
  EXPECT_EQ(worker.group(), 0);
  EXPECT_EQ(worker.restarts(), 0);
}

struct BadStart {
  const char* behaviour;
  const char* message;  // a part
};
class WorkerStart : public testing::TestWithParam<BadStart> {};

TEST_P(WorkerStart, FailsWithAReason) {
  WorkerLimits limits = quick();
  limits.start_seconds = 1;
  Worker worker(fake(GetParam().behaviour), limits);
  try {
    worker.start();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorkerStart,
                         testing::Values(BadStart{"never-connects", "did not start (waited 1 s)"},
                                         BadStart{"dies-at-start",
                                                  "did not start (exit code 5): no such thing"},
                                         BadStart{"bad-handshake", "first line is no handshake"},
                                         BadStart{"old-protocol", "speaks protocol 0, not 1"}));

TEST(Worker, AProgramThatIsNotThereIsAnError) {
  Worker worker(BackendSpec::parse("command:/no/such/program"), quick());
  EXPECT_THROW(worker.start(), Error);
}

TEST(Worker, TwoPairsInTwoThreads) {
  const auto run = [] {
    WorkerPair pair(fake("good"), fake("hang 3"), quick());
    for (int k = 0; k < 5; ++k) {
      pair.right.limits().case_seconds = k == 2 ? kShort : quick().case_seconds;
      pair.left.send({});
      pair.right.send({});
      EXPECT_EQ(pair.left.receive().status, Status::ok);
      EXPECT_EQ(pair.right.receive().status, k == 2 ? Status::timeout : Status::ok);
    }
    EXPECT_EQ(pair.left.restarts(), 0);
  };
  std::thread other(run);
  run();
  other.join();
}

TEST(WorkerPair, ADeathOnOneSideDoesNotDisturbTheOther) {
  WorkerPair pair(fake("segfault"), fake("good"), quick());
  for (Status expected : {Status::ok, Status::crashed, Status::ok}) {
    const auto [left, right] = pair.run({}, {});
    EXPECT_EQ(left.status, expected);
    EXPECT_EQ(right.status, Status::ok);
  }
  EXPECT_EQ(pair.right.restarts(), 0);
}

// While one hangs, the other one's limits are watched.
TEST(WorkerPair, LimitsOfBothAreWatchedAtOnce) {
  WorkerLimits limits = quick();
  limits.case_seconds = 4;
  WorkerPair pair(fake("hang 1"), fake("memory 1"), limits);
  pair.left.start();
  pair.right.start();
  const int group = pair.right.group();
  std::thread hoarder_dies_first([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3000));
    EXPECT_EQ(alive_in(group), 0);
  });
  const auto [left, right] = pair.run({}, {});
  hoarder_dies_first.join();
  EXPECT_EQ(left.status, Status::timeout);
  EXPECT_EQ(right.status, Status::out_of_memory);
}

std::vector<std::string> own_environment(const std::string& more) {
  std::vector<std::string> result{more};
  for (char** entry = environ; *entry; ++entry) result.push_back(*entry);
  return result;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct TemporaryFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("uopdiff-test-{}", getpid());
  TemporaryFile() { std::filesystem::remove(path); }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

TEST(Process, HasItsOwnGroupDirectoryEnvironmentAndNoInput) {
  const TemporaryFile output;
  Process process(
      {{"/bin/sh", "-c", "ps -o pgid= -p $$ | tr -d ' '; echo $$ $PWD $MARK; cat; echo e >&2; exit 7"},
       {"PATH=/usr/bin:/bin", "MARK=m"},
       "/usr",
       output.path.string()});
  const auto status = process.wait(10);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->text(), "exit code 7");
  const std::string pid = std::to_string(process.group());
  EXPECT_EQ(content_of(output.path), pid + "\n" + pid + " /usr m\ne\n");
}

TEST(Process, IsNoZombieAfterwardsAndKeepsItsGroupUntilThen) {
  const TemporaryFile output;
  int group = 0;
  {
    Process process({{"/bin/true"}, {}, "/", output.path.string()});
    group = process.group();
    ASSERT_TRUE(process.wait(10));
    EXPECT_EQ(kill(group, 0), 0);  // the pid cannot be given to another process yet
  }
  EXPECT_EQ(kill(group, 0), -1);
}

TEST(Process, AProgramThatCannotBeStartedLeavesNoZombieAndRunsNoExitHandlers) {
  static const TemporaryFile output;
  static const std::string marker_path = output.path.string() + "-exit";
  static const pid_t harness = getpid();
  std::filesystem::remove(marker_path);
  std::atexit([] {
    if (getpid() != harness) std::ofstream(marker_path) << "exit handlers ran in the child";
  });
  EXPECT_THROW(Process({{"/no/such/program"}, {}, "/", output.path.string()}), Error);
  EXPECT_LE(waitpid(-1, nullptr, WNOHANG), 0);
  EXPECT_FALSE(std::filesystem::exists(marker_path));
}

// The test starts itself as a harness, waits until that one's worker hangs, and kills it with SIGKILL.
TEST(Guardian, KillsWhatAKilledHarnessLeaves) {
  if (const char* file = std::getenv("UOPDIFF_TEST_HARNESS")) {
    WorkerLimits limits = quick();
    limits.case_seconds = 60;
    Worker worker(fake("hang-with-child 1"), limits);
    worker.start();
    worker.send({});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream(file) << worker.group() << "\n" << std::flush;
    worker.receive();
    return;
  }
  const TemporaryFile group_file;
  const std::string log = group_file.path.string() + "-log";
  Process harness({{std::filesystem::read_symlink("/proc/self/exe").string(),
                    "--gtest_filter=Guardian.KillsWhatAKilledHarnessLeaves"},
                   own_environment("UOPDIFF_TEST_HARNESS=" + group_file.path.string()),
                   "/",
                   log});
  std::string text;
  for (int k = 0; k < 500 && !(text = content_of(group_file.path)).ends_with('\n'); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int group = std::atoi(text.c_str());
  ASSERT_GT(group, 0) << content_of(log);
  std::filesystem::remove(log);
  EXPECT_GE(alive_in(group), 2);
  kill(harness.group(), SIGKILL);
  harness.wait(5);
  expect_gone(group);
}

TEST(Process, KillAllGroupsLeavesNothing) {
  Worker worker(fake("good"), quick());
  worker.start();
  const int group = worker.group();
  EXPECT_GT(alive_in(group), 0);
  kill_all_groups();
  expect_gone(group);
}

}  // namespace
}  // namespace uopdiff
