// What --no-preempt takes, and which places it means.
#include "analysis/no_preempt.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

bool holds(const std::string& rule, const Frame& frame) {
  const NoPreemptRules read = parse_no_preempt(rule);
  EXPECT_EQ(read.error, "") << rule;
  return matches(read.rules.at(0), frame);
}

TEST(NoPreempt, Places) {
  const Frame frame{"Queue::push", "/home/me/src/queue.h", 12, "/usr/lib/libqueue.so.3", false};
  for (const char* rule :
       {"function:push", "function:Queue::push", "function:Queue::*", "function:p?sh", "file:queue.h", "file:src/*.h",
        "file:/home/*", "library:libqueue.so*", "library:/usr/lib/*"})
    EXPECT_TRUE(holds(rule, frame)) << rule;
  for (const char* rule : {"function:ush", "function:Queue", "function:pus", "file:ueue.h", "file:queue",
                           "library:queue", "library:libqueue.so"})
    EXPECT_FALSE(holds(rule, frame)) << rule;
  EXPECT_FALSE(holds("function:*", Frame())) << "without a name there is nothing to match";
}

TEST(NoPreempt, ListsAndMistakes) {
  const NoPreemptRules two = parse_no_preempt("function:a,library:b.so");
  ASSERT_EQ(two.rules.size(), 2u);
  EXPECT_EQ(text_of(two.rules[0]), "function:a");
  EXPECT_EQ(text_of(two.rules[1]), "library:b.so");
  for (const char* wrong : {"", "push", "function:", "class:Queue", "function:a,b"})
    EXPECT_NE(parse_no_preempt(wrong).error, "") << wrong;
}

TEST(NoPreempt, TellsWhatMatchedNothing) {
  NoPreempt places(parse_no_preempt("function:no_such_function").rules, [] { return ModuleMap(); });
  EXPECT_FALSE(places.holds_at(0x1234));
  EXPECT_EQ(places.unmatched(), std::vector<std::string>{"function:no_such_function"});
}

}  // namespace
}  // namespace heddle
