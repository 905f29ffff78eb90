// Files of the regression store: what is written is read, and what can't be is said.
#include "cli/regression_store.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

TraceHeader some_header() {
  TraceHeader header;
  header.program = "/home/a/project/build/queue_test";
  header.arguments = {"--gtest_filter=Queue.Stop"};
  header.directory = "/home/a/project/build";
  header.outcome_key = "data-race-1f3c9a2b";
  header.outcome_cause = "data race on queue.count";
  header.outcome_kind = "data race";
  header.outcome_message = "/home/a/project/queue.h:7 and others";
  header.timeouts = Timeouts::Late;
  header.ok_exit = {0, 77};
  header.points = {{"queue_test", 0x1234}};
  header.point_lines = {{"queue.h", "push", "++count;", 7, 1, 2}};
  header.spins = {{{"queue_test", 0x2345}, 3}};
  header.spin_lines = {{"queue.h", "pop", "while (!full);", 9, 0, 1}};
  header.outcome_places = {{"queue.h", "push", "++count;", 7}};
  header.placed_deltas = {
      {{{1, "push 1"}, OperationKind::MutexLock, {"queue.h", "push", "lock(m);", 6}, 2, {2, "push 2"}, kTimeout}}};
  return header;
}

TEST(RegressionStore, WhatIsWrittenIsRead) {
  const TraceHeader header = some_header();
  const ParsedBug parsed = parse_stored(format_stored(header, "/home/a/project"), "/tmp/b");
  ASSERT_EQ(parsed.error, "");
  const TraceHeader& read = parsed.bug.header;
  EXPECT_EQ(parsed.bug.key, header.outcome_key);
  EXPECT_EQ(read.program, "/tmp/b/build/queue_test");
  EXPECT_EQ(read.directory, "/tmp/b/build");
  EXPECT_EQ(read.arguments, header.arguments);
  EXPECT_EQ(read.outcome_message, "queue.h:7 and others");
  EXPECT_EQ(read.timeouts, header.timeouts);
  EXPECT_EQ(read.ok_exit, header.ok_exit);
  EXPECT_EQ(read.point_lines, header.point_lines);
  EXPECT_EQ(read.points.front().file, "queue_test");
  EXPECT_EQ(read.spin_lines, header.spin_lines);
  EXPECT_EQ(read.spins.front().period, 3u);
  EXPECT_EQ(read.outcome_places, header.outcome_places);
  EXPECT_EQ(read.placed_deltas, header.placed_deltas);
  EXPECT_EQ(command_of(parsed.bug, "/tmp/b"), "build/queue_test --gtest_filter=Queue.Stop");
}

TEST(RegressionStore, NoAbsolutePathAndNoAddress) {
  const std::string text = format_stored(some_header(), "/home/a/project");
  EXPECT_EQ(text.find("/home"), text.npos);
  EXPECT_EQ(text.find("4660"), text.npos);  // 0x1234
  const std::string outside = format_stored(some_header(), "/srv");
  EXPECT_NE(outside.find("\"/home/a/project/build/queue_test\""), outside.npos);
}

TEST(RegressionStore, WhatCannotBeRead) {
  const std::string text = format_stored(some_header(), "/home/a/project");
  const auto without = [&](std::string_view part, const std::string& instead) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), instead);
    return parse_stored(changed, "/").error;
  };
  EXPECT_EQ(parse_stored(text, "/").error, "");
  EXPECT_NE(parse_stored("", "/").error, "");
  EXPECT_NE(parse_stored("[]", "/").error, "");
  EXPECT_NE(without("\"heddle_regression\": 1", "\"heddle_regression\": 2"), "");
  EXPECT_NE(without("data-race-1f3c9a2b", "../data-race"), "");
  EXPECT_NE(without("\"late\"", "\"sometimes\""), "");
  EXPECT_NE(without("\"mutex lock\"", "\"mutex look\""), "");
  EXPECT_NE(without("\"next\":2", "\"next\":-2"), "");
}

}  // namespace
}  // namespace heddle::cli
