// A worker that dies, hangs or talks nonsense costs one request; the next one works, and no process is left
// behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/backends/worker.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

WorkerLimits quick() {
  WorkerLimits limits;
  limits.start_seconds = 20;
  limits.case_seconds = 0.6;
  limits.memory_mb = 400;
  return limits;
}

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
  const Reply reply = worker.call(request);
  EXPECT_STREQ(status_name(reply.status), status_name(GetParam().status)) << reply.message;
  EXPECT_TRUE(reply.message.starts_with(GetParam().message)) << reply.message;
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
                    Fault{"memory", Status::out_of_memory, "more than 400 MB"},
                    Fault{"memory-error", Status::out_of_memory, "the worker died"},
                    Fault{"close", Status::protocol_error, "the worker closed its socket"},
                    Fault{"half", Status::crashed, "the worker died half-way through a reply"},
                    Fault{"rubbish", Status::protocol_error, "not a reply"},
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
