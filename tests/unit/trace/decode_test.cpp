// The decoder: what the runtime writes comes out as an execution, and nothing that a damaged region holds does harm.
#include "trace/decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "trace/as_record.h"
#include "trace/sealing_decoder.h"

namespace heddle {
namespace {

class Decode : public testing::Test {
 protected:
  template <typename T>
  bool feed(const T& value) {
    return decoder_.feed(as_record(value));
  }

  void begin(PlanId plan) {
    BeginRecord record;
    record.plan = plan;
    EXPECT_FALSE(feed(record));
  }

  void step(TaskId task, OperationKind operation = OperationKind::MutexLock) {
    StepRecord record;
    record.task = task;
    record.operation = operation;
    EXPECT_FALSE(feed(record));
  }

  bool end(EndKind kind = EndKind::Exited) {
    EndRecord record;
    record.end = kind;
    return feed(record);
  }

  void message(MessageKind kind, const std::string& text, bool last, TaskId task = 0) {
    MessageRecord record;
    record.message = kind;
    record.task = task;
    record.count = static_cast<std::uint8_t>(text.size());
    record.last = last ? 1 : 0;
    std::memcpy(record.text, text.data(), text.size());
    feed(record);
  }

  SealingDecoder decoder_;
};

TEST_F(Decode, KeepsWhatWasWritten) {
  begin(7);
  TaskRecord task;
  task.task = 0;
  task.entry = 0x1000;
  feed(task);
  ChangesRecord changes;
  changes.count = 2;
  changes.changes[0] = {0, TaskState::Enabled | TaskState::Eligible, 0};
  changes.changes[1] = {1, TaskState::Timeout, 0};
  feed(changes);
  step(0);
  ObjectRecord object;
  object.object = 3;
  object.object_kind = ObjectKind::Mutex;
  feed(object);
  step(1, OperationKind::MutexUnlock);
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  EXPECT_EQ(execution.plan, 7u);
  ASSERT_EQ(execution.steps.size(), 2u);
  EXPECT_EQ(execution.steps[1].operation, OperationKind::MutexUnlock);
  ASSERT_EQ(execution.changes.size(), 2u);
  EXPECT_EQ(execution.changes[1].task, 1);
  EXPECT_EQ(execution.changes[1].step, 0u);
  EXPECT_EQ(execution.tasks.at(0).entry, 0x1000u);
  ASSERT_NE(execution.object(3), nullptr);
  EXPECT_EQ(execution.object(3)->object_kind, ObjectKind::Mutex);
  EXPECT_EQ(execution.object(2), nullptr);
  EXPECT_FALSE(execution.damaged);
}

// What an execution shares with an earlier one is not looked at again.
TEST_F(Decode, StatesSeenAreThoseOfAllExecutionsSoFar) {
  const auto seen = [&](PlanId plan, std::initializer_list<std::uint8_t> states) {
    begin(plan);
    ChangesRecord changes;
    for (const std::uint8_t state : states) changes.changes[changes.count++] = {0, state, 0};
    feed(changes);
    step(0);
    EXPECT_TRUE(end());
    auto execution = decoder_.take();
    const std::uint64_t result = execution->states_seen;
    decoder_.reuse(std::move(execution));
    return result;
  };
  constexpr std::uint8_t kGoesOn = TaskState::Enabled | TaskState::Eligible;
  EXPECT_EQ(seen(1, {kGoesOn}), bit_of_state(kGoesOn));
  EXPECT_EQ(seen(2, {0, TaskState::Timeout}),
            bit_of_state(kGoesOn) | bit_of_state(0) | bit_of_state(TaskState::Timeout));
  EXPECT_EQ(seen(3, {kGoesOn}), bit_of_state(kGoesOn) | bit_of_state(0) | bit_of_state(TaskState::Timeout));
  decoder_.reset();
  EXPECT_EQ(seen(4, {TaskState::Enabled}), bit_of_state(TaskState::Enabled));
}

TEST_F(Decode, StepFlagsSeenAreThoseOfAllExecutionsSoFar) {
  const auto seen = [&](PlanId plan, OperationKind operation, std::uint8_t flags) {
    begin(plan);
    StepRecord record;
    record.operation = operation;
    record.flags = flags;
    feed(record);
    EXPECT_TRUE(end());
    auto execution = decoder_.take();
    const std::uint8_t result = execution->step_flags_seen;
    decoder_.reuse(std::move(execution));
    return result;
  };
  EXPECT_EQ(seen(1, OperationKind::MutexLock, StepFlags::Wrote), StepFlags::Wrote);
  EXPECT_EQ(seen(2, OperationKind::Yield, 0), StepFlags::Wrote | StepFlags::Yielded);
  EXPECT_EQ(seen(3, OperationKind::MutexLock, 0), StepFlags::Wrote | StepFlags::Yielded);
  decoder_.reset();
  EXPECT_EQ(seen(4, OperationKind::MutexLock, 0), 0);
  EXPECT_EQ(seen(5, OperationKind::MutexLock, StepFlags::Yielded), StepFlags::Yielded);
}

TEST(StatesWith, SomeBitsAndNoneOfOthers) {
  EXPECT_NE(states_with(TaskState::Enabled, TaskState::Eligible) & bit_of_state(TaskState::Enabled), 0u);
  EXPECT_EQ(states_with(TaskState::Enabled, TaskState::Eligible) &
                bit_of_state(TaskState::Enabled | TaskState::Eligible | TaskState::Timeout),
            0u);
  EXPECT_EQ(states_with(TaskState::Timeout) & bit_of_state(TaskState::Enabled), 0u);
}

TEST_F(Decode, JoinsMessagesWithEmbeddedNulls) {
  begin(1);
  message(MessageKind::AssertionFailed, std::string("x == 1\0fi", 9), false);
  message(MessageKind::AssertionFailed, std::string("le.c\0", 5), true);
  message(MessageKind::TaskName, "worker", true, 4);
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  ASSERT_EQ(execution.messages.size(), 2u);
  EXPECT_EQ(execution.messages[0].text, std::string("x == 1\0file.c\0", 14));
  EXPECT_EQ(execution.messages[1].task, 4);
  EXPECT_NE(execution.message(MessageKind::TaskName), nullptr);
  EXPECT_EQ(execution.message(MessageKind::Misuse), nullptr);
}

TEST_F(Decode, AMessageThatIsCutOffIsKept) {
  begin(1);
  message(MessageKind::Note, "half of a", false);
  ASSERT_TRUE(end());
  EXPECT_EQ(decoder_.take()->messages.at(0).text, "half of a");
}

TEST_F(Decode, ARaceIsTwoRecordsWithTheirStacks) {
  StackRecord stack;
  stack.count = 1;
  stack.sites[0] = 0x77;
  RaceRecord access;
  access.site = 0x10;
  access.size = 4;
  begin(1);
  feed(stack);
  feed(access);
  access.site = 0x20;
  access.flags = RaceFlags::Later | RaceFlags::Write;
  feed(access);
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  ASSERT_EQ(execution.races.size(), 1u);
  EXPECT_EQ(execution.races[0].earlier.site, 0x10u);
  EXPECT_EQ(execution.races[0].later.site, 0x20u);
  EXPECT_EQ(execution.races[0].earlier_stack, std::vector<Site>{0x77});
  EXPECT_TRUE(execution.races[0].later_stack.empty());
  EXPECT_FALSE(execution.damaged);
}

TEST_F(Decode, ARaceFromTheFutureIsDamage) {
  RaceRecord access;
  access.step = 5;
  begin(1);
  feed(access);
  ASSERT_TRUE(end());
  EXPECT_TRUE(decoder_.take()->damaged);
}

TEST_F(Decode, StacksBelongToTheNextStepOrPending) {
  begin(1);
  step(0);
  StackRecord stack;
  stack.count = 3;
  for (int i = 0; i < 3; ++i) stack.sites[i] = 10u + i;
  feed(stack);
  stack.count = 1;
  stack.sites[0] = 13;
  feed(stack);
  step(1);
  step(2);
  feed(stack);
  PendingRecord pending;
  pending.operation = OperationKind::MutexLock;
  feed(pending);
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  ASSERT_EQ(execution.stacks.size(), 3u);
  EXPECT_TRUE(execution.stacks[0].empty());
  EXPECT_EQ(execution.stacks[1], (std::vector<Site>{10, 11, 12, 13}));
  ASSERT_EQ(execution.pending_stacks.size(), 1u);
  EXPECT_EQ(execution.pending_stacks[0].size(), 1u);
}

TEST_F(Decode, CloseFillsInWhatIsKnown) {
  begin(5);
  step(2);
  StepRecord preempting;
  preempting.operation = OperationKind::Yield;
  preempting.task = 1;
  preempting.flags = StepFlags::Preemption;
  feed(preempting);
  EXPECT_TRUE(decoder_.open());
  EndRecord record;
  record.end = EndKind::Crashed;
  record.status = 11;
  decoder_.close(record);
  EXPECT_FALSE(decoder_.open());
  const Execution execution = *decoder_.take();
  EXPECT_EQ(execution.end.steps, 2u);
  EXPECT_EQ(execution.end.preemptions, 1u);
  EXPECT_EQ(execution.end.task, 1u);
  EXPECT_EQ(execution.end.status, 11);
  EXPECT_FALSE(execution.damaged);
}

TEST_F(Decode, RecordsOutsideAnExecutionAreIgnored) {
  step(0);
  EXPECT_FALSE(end());
  EXPECT_FALSE(decoder_.open());
}

// In an execution that is read for the first time, and in one that is as the one before.
TEST_F(Decode, EveryByteThatIsNotAsItWasWrittenIsDamage) {
  const std::vector<Record> written = {as_record(BeginRecord{.plan = 1}), as_record(StepRecord()),
                                       as_record(ChangesRecord{.count = 2}), as_record(StepRecord()),
                                       as_record(EndRecord())};
  const auto damaged_by = [&](std::size_t record, std::size_t byte, bool follows) {
    SealingDecoder sealed;
    sealed.feed(written.data(), written.size());
    EXPECT_FALSE(sealed.take()->damaged);
    ExecutionDecoder decoder;
    for (int run = follows ? 0 : 1; run < 2; ++run) {
      std::vector<Record> records = sealed.fed();
      if (run == 1) records[record].bytes[byte] ^= 4;
      decoder.feed(records.data(), records.size());
      if (!decoder.complete()) return true;  // no End
      auto execution = decoder.take();
      if (run == 1) return execution->damaged;
      decoder.reuse(std::move(execution));
    }
    return false;
  };
  for (std::size_t record = 1; record < written.size(); ++record)
    for (std::size_t byte = 0; byte < sizeof Record::bytes; ++byte)
      for (const bool follows : {false, true})
        EXPECT_TRUE(damaged_by(record, byte, follows)) << record << ", " << byte << ", " << follows;
}

TEST_F(Decode, MissingStepsAreDamage) {
  SealingDecoder sealed;
  const std::vector<Record> written = {as_record(BeginRecord()), as_record(StepRecord()), as_record(StepRecord()),
                                       as_record(EndRecord())};
  sealed.feed(written.data(), written.size());
  std::vector<Record> records = sealed.fed();
  records.erase(records.begin() + 1);
  ExecutionDecoder decoder;
  decoder.feed(records.data(), records.size());
  EXPECT_TRUE(decoder.take()->damaged);
}

TEST_F(Decode, NonsenseIsLeftOutAndSaid) {
  begin(1);
  step(0);
  Record unknown{};
  unknown.kind = static_cast<RecordKind>(200);
  decoder_.feed(unknown);
  step(60000);
  step(0, static_cast<OperationKind>(250));
  ChangesRecord changes;
  changes.count = 255;
  feed(changes);
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  EXPECT_TRUE(execution.damaged);
  EXPECT_EQ(execution.steps.size(), 1u);
  ASSERT_EQ(execution.messages.size(), 1u) << "said once";
  EXPECT_NE(execution.messages[0].text.find("damaged after step 1"), std::string::npos);
}

TEST_F(Decode, ObjectsInAnyOrderAreFound) {
  begin(1);
  for (const ObjectId id : {9u, 2u, 5u, 2u}) {
    ObjectRecord object;
    object.object = id;
    object.object_kind = ObjectKind::Mutex;
    feed(object);
  }
  ASSERT_TRUE(end());
  const Execution execution = *decoder_.take();
  EXPECT_EQ(execution.objects.size(), 3u);
  for (const ObjectId id : {2u, 5u, 9u}) EXPECT_NE(execution.object(id), nullptr);
}

TEST_F(Decode, LimitsHold) {
  SealingDecoder small({.records = 50, .steps = 5, .changes = 10, .objects = 3, .messages = 2, .message_bytes = 30});
  const auto give = [&](const auto& value) { return small.feed(as_record(value)); };
  give(BeginRecord());
  StepRecord step_record;
  step_record.operation = OperationKind::Yield;
  MessageRecord text;
  text.message = MessageKind::Note;
  text.count = 20;
  text.last = 1;
  ObjectRecord object;
  object.object_kind = ObjectKind::Mutex;
  for (unsigned i = 1; i < 1000; ++i) {
    object.object = i;
    give(step_record);
    give(text);
    give(object);
  }
  ASSERT_TRUE(give(EndRecord()));
  const Execution execution = *small.take();
  EXPECT_TRUE(execution.damaged);
  EXPECT_EQ(execution.steps.size(), 5u);
  EXPECT_EQ(execution.objects.size(), 3u);
  EXPECT_LE(execution.messages.size(), 3u);
}

TEST_F(Decode, RandomBytesDoNoHarm) {
  std::mt19937_64 draw(1);
  std::size_t executions = 0;
  for (int i = 0; i < 200'000; ++i) {
    Record record;
    for (std::uint8_t& byte : record.bytes) byte = static_cast<std::uint8_t>(draw());
    record.kind = static_cast<RecordKind>(draw() % 12);
    if (!decoder_.feed(record)) continue;
    ++executions;
    auto execution = decoder_.take();
    StateCursor cursor(*execution);
    for (std::uint32_t step = 0; step < execution->steps.size(); ++step) cursor.advance_to(step);
    decoder_.reuse(std::move(execution));
  }
  EXPECT_GT(executions, 100u);
}

std::vector<TaskId> candidates(const StateCursor& cursor) {
  std::vector<TaskId> result;
  cursor.each_candidate([&](TaskId task) { result.push_back(task); });
  return result;
}

TEST(StateCursor, KnowsWhoCouldBeChosen) {
  Execution execution;
  execution.changes = {{0, 2, TaskState::Enabled | TaskState::Eligible},
                       {0, 0, TaskState::Enabled},
                       {1, 1, TaskState::Timeout},
                       {3, 2, TaskState::Ended}};
  StateCursor cursor(execution);
  cursor.advance_to(0);
  EXPECT_EQ(candidates(cursor), std::vector<TaskId>{2});
  EXPECT_FALSE(cursor.could_choose_another(2));
  EXPECT_TRUE(cursor.could_choose_another(0));
  EXPECT_EQ(cursor.state(0), TaskState::Enabled);
  cursor.advance_to(2);
  EXPECT_EQ(candidates(cursor), (std::vector<TaskId>{2, 1}));
  cursor.advance_to(3);
  EXPECT_EQ(candidates(cursor), std::vector<TaskId>{1});
  EXPECT_EQ(cursor.state(77), 0);
}

}  // namespace
}  // namespace heddle
