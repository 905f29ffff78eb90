// What comes after the failure, and is left out of a short page.
#include "report/aftermath.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle {
namespace {

constexpr std::size_t kBefore = 3;

// A failing program whose handlers of exit() destroy mutexes.
test::ExecutionBuilder program_with_handlers(int handlers) {
  test::ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  builder.step(0, OperationKind::MutexLock, mutex);
  builder.step(0, OperationKind::MutexUnlock, mutex);
  builder.step(0, OperationKind::ProcessExit);
  for (int i = 0; i < handlers; ++i) builder.step(0, OperationKind::MutexDestroy, builder.object(ObjectKind::Mutex));
  return builder;
}

std::size_t before(OutcomeKind kind, const std::string& message, const Execution& execution) {
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  return steps_before_aftermath(kind, message, execution, names);
}

TEST(Aftermath, HandlersOfExitComeAfterTheFailure) {
  const Execution execution = program_with_handlers(5).exited(1);
  EXPECT_EQ(before(OutcomeKind::Exit, "the exit status was 1", execution), kBefore);
  EXPECT_EQ(before(OutcomeKind::Assertion, "queue.cpp:9: Failure\nExpected: 2", execution), kBefore);
}

TEST(Aftermath, AFewStepsNeedNoLine) {
  const Execution execution = program_with_handlers(2).exited(1);
  EXPECT_EQ(before(OutcomeKind::Exit, "", execution), execution.steps.size());
}

// The handlers may have done it.
TEST(Aftermath, NothingIsLeftOutWhereTheProgramDied) {
  const Execution killed = program_with_handlers(5).signalled(6),
                  stuck = program_with_handlers(5).end(EndKind::Deadlock);
  EXPECT_EQ(before(OutcomeKind::Assertion, "queue.cpp:9: f: Assertion `x' failed.", killed), killed.steps.size());
  EXPECT_EQ(before(OutcomeKind::Crash, "", killed), killed.steps.size());
  EXPECT_EQ(before(OutcomeKind::Deadlock, "", stuck), stuck.steps.size());
}

TEST(Aftermath, ItsLineStandsBeforeTheEnd) {
  using Kind = Chart::Row::Kind;
  Story story;
  story.lines.resize(3);
  story.lines[0].kind = Kind::Step;
  story.lines[1].kind = story.lines[2].kind = Kind::End;
  add_aftermath(story, 14);
  ASSERT_EQ(story.lines.size(), 4u);
  EXPECT_EQ(story.lines[1].kind, Kind::Pruned);
  EXPECT_EQ(story.lines[1].done.at(0).words.text(), "then 14 steps after the failure (--full shows them)");
}

}  // namespace
}  // namespace heddle
