// Messages of the protocol and base64.
#include "harness/backends/protocol.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/backends/base64.h"
#include "harness/backends/printable.h"
#include "harness/program/error.h"

namespace uopdiff {
namespace {

RC_GTEST_PROP(Base64, RoundTrips, (const std::vector<uint8_t>& bytes)) {
  RC_ASSERT(base64_decode(base64_encode(bytes)) == bytes);
}

TEST(Base64, KnownTextsAndErrors) {
  EXPECT_EQ(base64_encode({}), "");
  EXPECT_EQ(base64_encode({'f', 'o', 'o', 'b'}), "Zm9vYg==");
  for (const char* broken : {"Zg", "Zg=", "Z===", "====", "Zg?=", "Zm9v\n", "Z=9v"})
    EXPECT_THROW(base64_decode(broken), Error) << broken;
}

TEST(Protocol, StatusNamesRoundTrip) {
  for (int k = 0; k <= static_cast<int>(Status::protocol_error); ++k)
    EXPECT_EQ(status_from_name(status_name(static_cast<Status>(k))), static_cast<Status>(k));
  EXPECT_FALSE(status_from_name("fine"));
}

std::string message_of(const std::string& line) {
  try {
    parse_reply(line, 7);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Protocol, ARequestIsOneLineAndARightReplyIsRead) {
  Request request;
  request.program = {{"nodes", nlohmann::json::array()}};
  request.inputs["a"] = {1, 2};
  const std::string line = request_line(request, 7);
  EXPECT_EQ(
      line,
      "{\"id\":7,\"inputs\":{\"a\":\"AQI=\"},\"program\":{\"nodes\":[]},\"source\":false,\"values\":true}\n");
  const Reply reply = parse_reply(
      R"({"id":7,"status":"compile-failed","step":"compile","message":"m","outputs":[{"dtype":"f32","shape":[1],"data":"AACAPw=="}],"times":{"build":1.5},"rss_mb":9})",
      7);
  EXPECT_EQ(reply.status, Status::compile_failed);
  EXPECT_EQ(reply.outputs[0].data, (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(reply.times.at("build"), 1.5);
}

TEST(Protocol, WrongRepliesSayWhy) {
  EXPECT_TRUE(message_of("hello").starts_with("not a reply: "));
  EXPECT_TRUE(message_of("[]").starts_with("not a reply: "));
  EXPECT_EQ(message_of(R"({"id":8,"status":"ok"})"), "a reply to request 8, not 7");
  EXPECT_EQ(message_of(R"({"id":7,"status":"fine"})"), "a reply with an unknown status");
  EXPECT_EQ(message_of(R"({"id":7,"status":"ok","kernels":{}})"), "the kernels of a reply are not a list");
  EXPECT_TRUE(message_of(R"({"id":7})").starts_with("not a reply: "));
}

TEST(Protocol, OutputsHaveTheSizeOfTheirShape) {
  const auto with = [](const std::string& output) {
    return message_of(R"({"id":7,"status":"ok","outputs":[)" + output + "]}");
  };
  EXPECT_EQ(with(R"({"dtype":"f32","shape":[],"data":"AACAPw=="})"), "no error");
  EXPECT_EQ(with(R"({"dtype":"f32","shape":[0,3],"data":""})"), "no error");
  EXPECT_EQ(with(R"({"dtype":"bool","shape":[4],"data":"AAEAAQ=="})"), "no error");
  EXPECT_EQ(with(R"({"dtype":"f32","shape":[2],"data":"AACAPw=="})"),
            "an output f32[2] with 4 bytes of data");
  EXPECT_EQ(with(R"({"dtype":"f31","shape":[1],"data":"AACAPw=="})"), "an output of the unknown dtype f31");
  EXPECT_EQ(with(R"({"dtype":"f32","shape":[-1,-1],"data":"AACAPw=="})"), "an output of an impossible shape");
  EXPECT_EQ(with(R"({"dtype":"f32","shape":[4294967296,4294967296],"data":""})"),
            "an output of an impossible shape");
}

TEST(Protocol, StatusesOfTheHarnessAreNotTheWorkers) {
  for (const char* status : {"crashed", "timeout", "out-of-memory"})
    EXPECT_TRUE(message_of(std::string(R"({"id":7,"status":")") + status + "\"}")
                    .starts_with("a reply with the status "))
        << status;
}

TEST(Printable, KeepsTextAndReplacesTheRest) {
  EXPECT_EQ(printable("a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[0m\r\x7f"), "?[0m??");
  EXPECT_EQ(printable("\xe2\x82"), "??");            // cut
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
}

RC_GTEST_PROP(Printable, IsAlwaysFitForJson, (const std::string& bytes)) {
  nlohmann::json(printable(bytes)).dump();  // throws on what is not UTF-8
}

TEST(Protocol, AnotherProtocolNumberIsRefused) {
  try {
    parse_handshake(R"({"protocol":2,"backend":"x","version":"1","ops":[],"dtypes":[]})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the worker speaks protocol 2, not 1");
  }
}

}  // namespace
}  // namespace uopdiff
