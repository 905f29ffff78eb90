// Bugs in the order in which a person wants to read them.
#include "report/causes.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Bug bug_of(int id, OutcomeKind kind, const char* key) {
  Bug bug;
  bug.id = id;
  bug.outcome.kind = kind;
  bug.key = key;
  return bug;
}

TEST(Causes, TheGravestComeFirst) {
  const std::vector<Bug> bugs{bug_of(1, OutcomeKind::Race, "a"),      bug_of(2, OutcomeKind::Misuse, "b"),
                              bug_of(3, OutcomeKind::Livelock, "c"),  bug_of(4, OutcomeKind::Deadlock, "d"),
                              bug_of(5, OutcomeKind::Assertion, "e"), bug_of(6, OutcomeKind::Crash, "f")};
  std::vector<int> ids;
  for (const auto& cause : by_cause(bugs)) ids.push_back(cause.first->id);
  EXPECT_EQ(ids, (std::vector<int>{5, 6, 4, 3, 2, 1}));
}

TEST(Causes, BugsOfOneCauseAreTogether) {
  const std::vector<Bug> bugs{bug_of(1, OutcomeKind::Race, "count"), bug_of(2, OutcomeKind::Race, "size"),
                              bug_of(3, OutcomeKind::Race, "count"), bug_of(4, OutcomeKind::Race, "count")};
  const auto causes = by_cause(bugs);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].first->id, 1);
  ASSERT_EQ(causes[0].others.size(), 2u);
  EXPECT_EQ(causes[0].others[0]->id, 3);
  EXPECT_EQ(causes[0].others[1]->id, 4);
  EXPECT_TRUE(causes[1].others.empty());
}

TEST(Causes, WhatHasNoKeyIsAlone) {
  EXPECT_EQ(by_cause({bug_of(1, OutcomeKind::Race, ""), bug_of(2, OutcomeKind::Race, "")}).size(), 2u);
}

}  // namespace
}  // namespace heddle
