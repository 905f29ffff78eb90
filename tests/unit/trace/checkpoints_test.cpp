// The decoder where executions go on from a checkpoint of the one before: what comes out is what would have come out of
// the whole stream, and nothing is believed that isn't there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "trace/as_record.h"
#include "trace/decode.h"
#include "trace/sealing_decoder.h"

namespace heddle {
namespace {

// A bookmark is made at the decision of this step.
struct Mark {
  std::size_t step = SIZE_MAX;
  std::uint32_t number = 0;
};

// What is written around one decision: what comes before it is part of a checkpoint there.
struct Around {
  std::vector<Record> before, after;
};

class Checkpoints : public testing::Test {
 protected:
  unsigned below(unsigned limit) { return static_cast<unsigned>(draw_() % limit); }

  ObjectRecord new_object() {
    ObjectRecord record;
    record.object = 1 + (next_object_++ * 7919u) % 10'007u;  // in no order, each once
    record.object_kind = ObjectKind::Mutex;
    return record;
  }

  Around random_decision() {
    Around around;
    if (below(8) == 0) {
      MessageRecord text;
      text.message = MessageKind::TaskName;
      text.task = static_cast<TaskId>(below(5));
      text.count = 3;
      text.last = 1;
      around.before.push_back(as_record(text));
    }
    if (below(10) == 0) around.before.push_back(as_record(new_object()));
    ChangesRecord changes;
    for (changes.count = 0; changes.count < below(4); ++changes.count) {
      auto& change = changes.changes[changes.count];
      change = {static_cast<TaskId>(below(90)), static_cast<std::uint8_t>(below(64)),
                static_cast<std::uint8_t>(below(2))};
      if (!gates_) continue;
      if (below(3) == 0)
        change = {static_cast<TaskId>(Gate::kMark | (1 + below(4))), change.state, 0};
      else if (below(2) == 0)
        change.state |= Gate::kStands;
    }
    if (changes.count != 0) around.before.push_back(as_record(changes));
    if (below(6) == 0) around.after.push_back(as_record(new_object()));
    if (below(30) == 0 && next_task_ < 90) {
      TaskRecord task;
      task.task = next_task_++;
      around.after.push_back(as_record(task));
    }
    StepRecord step;
    step.task = static_cast<TaskId>(below(5));
    step.operation = OperationKind::MutexLock;
    step.site = draw_();
    around.after.push_back(as_record(step));
    return around;
  }

  // Those of [first, size), to the end; at the decision of a step a bookmark is made.
  static void feed(SealingDecoder& decoder, const std::vector<Around>& decisions, std::size_t first, bool whole,
                   const Mark& mark = {}) {
    std::vector<Record> records;
    for (std::size_t i = first; i < decisions.size(); ++i) {
      if (whole || i != first) records.insert(records.end(), decisions[i].before.begin(), decisions[i].before.end());
      if (i == mark.step) records.push_back(as_record(BookmarkRecord{.number = mark.number}));
      records.insert(records.end(), decisions[i].after.begin(), decisions[i].after.end());
    }
    EndRecord end;
    end.end = EndKind::Exited;
    records.push_back(as_record(end));
    EXPECT_EQ(decoder.feed(records.data(), records.size()), records.size());
    EXPECT_TRUE(decoder.complete());
  }

  static Execution decode_whole(const std::vector<Around>& decisions, PlanId plan) {
    SealingDecoder decoder;
    BeginRecord begin;
    begin.plan = plan;
    decoder.feed(as_record(begin));
    feed(decoder, decisions, 0, true);
    return *decoder.take();
  }

  // What a checkpoint at the decision of step `kept` says of itself.
  static BeginRecord going_on(const std::vector<Around>& decisions, std::uint32_t kept, PlanId plan) {
    BeginRecord begin;
    begin.plan = plan;
    begin.kept_steps = kept;
    const auto count = [&](const std::vector<Record>& records) {
      for (const Record& record : records) {
        if (record.kind == RecordKind::Object) ++begin.kept_objects;
        if (record.kind == RecordKind::Task) ++begin.kept_tasks;
        if (record.kind == RecordKind::Changes) begin.kept_changes += record.bytes[0];
      }
    };
    for (std::uint32_t i = 0; i <= kept; ++i) {
      count(decisions[i].before);
      if (i < kept) count(decisions[i].after);
    }
    return begin;
  }

  static void expect_equal(const Execution& expected, const Execution& found) {
    EXPECT_EQ(expected.damaged, found.damaged);
    EXPECT_EQ(expected.tasks.size(), found.tasks.size());
    ASSERT_EQ(expected.steps.size(), found.steps.size());
    for (std::size_t i = 0; i < expected.steps.size(); ++i) EXPECT_EQ(expected.steps[i].site, found.steps[i].site) << i;
    ASSERT_EQ(expected.changes.size(), found.changes.size());
    for (std::size_t i = 0; i < expected.changes.size(); ++i)
      EXPECT_EQ(std::memcmp(&expected.changes[i], &found.changes[i], sizeof(StateChange)), 0) << i;
    ASSERT_EQ(expected.objects.size(), found.objects.size());
    for (std::size_t i = 0; i < expected.objects.size(); ++i)
      EXPECT_EQ(expected.objects[i].object, found.objects[i].object) << i;
    ASSERT_EQ(expected.messages.size(), found.messages.size());
    for (std::size_t i = 0; i < expected.messages.size(); ++i)
      EXPECT_EQ(expected.messages[i].step, found.messages[i].step) << i;
  }

  // Is what an execution says to have in common with the one before the same?
  static void expect_shares(const Execution& before, const Execution& execution) {
    ASSERT_LE(execution.kept_steps, before.steps.size());
    ASSERT_LE(execution.kept_changes, before.changes.size());
    for (std::size_t i = 0; i < execution.kept_steps; ++i) EXPECT_EQ(before.steps[i].site, execution.steps[i].site);
    for (std::size_t i = 0; i < execution.kept_changes; ++i)
      EXPECT_EQ(std::memcmp(&before.changes[i], &execution.changes[i], sizeof(StateChange)), 0) << i;
  }

  // A walk that begins at `step` sees what one from the beginning sees.
  static void expect_same_walk(const Execution& execution, std::uint32_t step) {
    StateCursor late, whole;
    late.restart(execution, step);
    whole.restart(execution);
    for (; step < execution.steps.size(); ++step) {
      late.advance_to(step);
      whole.advance_to(step);
      for (TaskId task = 0; task < 90; ++task) ASSERT_EQ(late.state(task), whole.state(task)) << step;
      std::vector<TaskId> some, all;
      late.each_candidate([&](TaskId task) { some.push_back(task); });
      whole.each_candidate([&](TaskId task) { all.push_back(task); });
      ASSERT_EQ(some, all) << step;
      const bool another = all.size() > (late.could_choose(2) ? 1u : 0u);
      EXPECT_EQ(late.could_choose_another(2), another);
    }
  }

  bool gates_ = false;
  std::mt19937_64 draw_{1};
  unsigned next_object_ = 0;
  TaskId next_task_ = 0;
};

TEST_F(Checkpoints, GoesOnFromTheExecutionBefore) {
  for (const std::size_t length : {5u, 40u, 1500u, 1501u}) {
    gates_ = length == 1501;
    SealingDecoder decoder;
    std::vector<Around> decisions;
    for (PlanId plan = 1; plan < 60; ++plan) {
      const auto kept = static_cast<std::uint32_t>(plan % 10 == 1 ? 0 : below(static_cast<unsigned>(length)));
      const BeginRecord begin = kept == 0 ? BeginRecord{.plan = plan} : going_on(decisions, kept, plan);
      if (kept == 0) decisions.clear();
      next_object_ = begin.kept_objects;
      next_task_ = static_cast<TaskId>(begin.kept_tasks);
      if (kept != 0) {
        decisions.resize(kept + 1);
        StepRecord step;
        step.operation = OperationKind::Yield;
        step.site = draw_();
        decisions[kept].after = {as_record(new_object()), as_record(step)};
      }
      while (decisions.size() < length) decisions.push_back(random_decision());
      decoder.feed(as_record(begin));
      feed(decoder, decisions, kept, kept == 0);
      auto lent = decoder.take();
      const Execution& execution = *lent;
      EXPECT_EQ(execution.kept_steps, kept);
      EXPECT_EQ(execution.kept_of, kept == 0 ? 0 : plan - 1);
      expect_equal(decode_whole(decisions, plan), execution);
      expect_same_walk(execution, kept);
      decoder.reuse(std::move(lent));
      if (HasFailure()) return;
    }
  }
}

// Executions that were run from the beginning, each with some of the decisions of the one before.
TEST_F(Checkpoints, FindsWhatIsTheSameAsBefore) {
  for (const std::size_t length : {5u, 40u, 1500u, 1501u}) {
    gates_ = length == 1501;
    SealingDecoder decoder;
    std::vector<Around> decisions;
    bool given_back = false;
    for (PlanId plan = 1; plan < 80; ++plan) {
      std::size_t shared = plan % 10 == 1 ? 0 : below(static_cast<unsigned>(length) + 1);
      decisions.resize(std::min(shared, decisions.size()));
      next_object_ = 0;
      next_task_ = 0;
      for (const Around& decision : decisions) {
        for (const auto* records : {&decision.before, &decision.after}) {
          for (const Record& record : *records) {
            next_object_ += record.kind == RecordKind::Object ? 1 : 0;
            next_task_ = static_cast<TaskId>(next_task_ + (record.kind == RecordKind::Task ? 1 : 0));
          }
        }
      }
      shared = decisions.size();
      while (decisions.size() < length) decisions.push_back(random_decision());
      decoder.feed(as_record(BeginRecord{.plan = plan}));
      feed(decoder, decisions, 0, true);
      auto lent = decoder.take();
      const Execution& execution = *lent;
      EXPECT_EQ(execution.resumed_at, 0u);
      if (!given_back) {
        EXPECT_EQ(execution.kept_steps, 0u);
      }
      const auto has_message = [](const Around& decision) {
        return std::any_of(decision.before.begin(), decision.before.end(),
                           [](const Record& record) { return record.kind == RecordKind::Message; });
      };
      const auto told = std::find_if(decisions.begin(), decisions.end(), has_message) - decisions.begin();
      if (given_back) {
        EXPECT_GE(execution.kept_steps + 1, std::min<std::size_t>(shared, told));
        EXPECT_LE(execution.kept_steps, shared);
      }
      if (execution.kept_steps != 0) {
        EXPECT_EQ(execution.kept_of, plan - 1);
      }
      expect_equal(decode_whole(decisions, plan), execution);
      expect_same_walk(execution, 0);
      given_back = below(4) != 0;
      if (given_back) decoder.reuse(std::move(lent));
      if (HasFailure()) return;
    }
  }
}

// Plans that follow each other may share something, or nothing; each goes on from some bookmark, from the execution
// before it, or from the beginning, and makes a bookmark.
TEST_F(Checkpoints, GoesOnFromABookmark) {
  constexpr unsigned kNumbers = 4;
  struct Kept {
    std::vector<Around> decisions;
    std::uint32_t steps = 0;
    std::uint64_t number = 0;
  };
  for (const std::size_t length : {5u, 12u, 40u, 900u}) {
    SealingDecoder decoder;
    Execution before;
    bool given_back = false;
    std::vector<Around> made;  // of the execution before
    std::vector<Kept> bookmarks(kNumbers);
    for (PlanId plan = 1; plan < (length < 100 ? 2000 : 200); ++plan) {
      const auto from = below(kNumbers);
      Kept bookmark = bookmarks[from];
      const bool stays = given_back && below(2) == 0;
      if (stays) bookmark = {made, 1 + below(static_cast<unsigned>(length) - 1), 0};
      const std::uint32_t kept = bookmark.steps;
      std::vector<Around> decisions = bookmark.decisions;
      BeginRecord begin{.plan = plan};
      if (kept != 0) {
        decisions.resize(kept + 1);
        begin = going_on(decisions, kept, plan);
        begin.bookmark = stays ? 0 : from + 1u;
        StepRecord yield;
        yield.operation = OperationKind::Yield;
        yield.site = draw_();
        decisions[kept].after = {as_record(yield)};
      }
      // What it has from here on others may have at another place.
      next_object_ = begin.kept_objects;
      next_task_ = static_cast<TaskId>(begin.kept_tasks);
      while (decisions.size() < length) decisions.push_back(random_decision());
      decoder.feed(as_record(begin));
      const Mark mark{kept + 1 + below(static_cast<unsigned>(length) - kept), below(kNumbers)};
      feed(decoder, decisions, kept, kept == 0, mark);
      auto lent = decoder.take();
      const Execution& execution = *lent;
      EXPECT_EQ(execution.resumed_at, kept);
      if (execution.kept_steps != 0) {
        EXPECT_EQ(execution.kept_of, plan - 1);
        expect_shares(before, execution);
      }
      EXPECT_EQ(execution.bookmark, stays ? 0 : bookmark.number);
      expect_equal(decode_whole(decisions, plan), execution);
      expect_same_walk(execution, kept);
      if (mark.step < length) {
        ASSERT_EQ(execution.bookmarks_made.size(), 1u);
        EXPECT_EQ(execution.bookmarks_made[0].step, mark.step);
        bookmarks[mark.number] = {decisions, static_cast<std::uint32_t>(mark.step), execution.bookmarks_made[0].number};
        bookmarks[mark.number].decisions.resize(mark.step + 1);
      }
      before = execution;
      made = decisions;
      given_back = below(3) != 0;
      if (given_back) decoder.reuse(std::move(lent));
      if (HasFailure()) return;
    }
  }
}

// Two go on from one place with the same object, but not at once: what they have in common is no beginning of records.
TEST_F(Checkpoints, SharesAnObjectBehindAnotherStep) {
  const auto step_of = [](TaskId task) {
    StepRecord step;
    step.task = task;
    step.operation = OperationKind::MutexLock;
    return as_record(step);
  };
  const auto bookmark = [](std::uint32_t number) { return as_record(BookmarkRecord{.number = number}); };
  const auto run = [](SealingDecoder& decoder, const BeginRecord& begin, std::vector<Record> records) {
    EndRecord end;
    end.end = EndKind::Exited;
    records.push_back(as_record(end));
    decoder.feed(as_record(begin));
    EXPECT_EQ(decoder.feed(records.data(), records.size()), records.size());
    auto execution = decoder.take();
    const Execution copy = *execution;
    decoder.reuse(std::move(execution));
    return copy;
  };
  const Record object = as_record(new_object());
  SealingDecoder decoder;
  run(decoder, {.plan = 1},
      {step_of(0), bookmark(0), step_of(1), bookmark(1), object, step_of(2), bookmark(2), step_of(3)});
  const Execution second = run(decoder, {.kept_steps = 1, .plan = 2}, {object, step_of(4), step_of(5)});
  EXPECT_EQ(second.steps[1].task, 4);
  const Execution third = run(decoder, {.kept_steps = 2, .plan = 3, .bookmark = 2}, {step_of(6)});
  EXPECT_FALSE(third.damaged);
  EXPECT_EQ(third.steps[1].task, 1);
  EXPECT_TRUE(third.objects.empty());
}

class DamagedCheckpoints : public Checkpoints {
 protected:
  void SetUp() override {
    for (int i = 0; i < 10; ++i) decisions_.push_back(random_decision());
    decoder_.feed(as_record(BeginRecord{.plan = 1}));
    Checkpoints::feed(decoder_, decisions_, 0, true);
    begin_ = going_on(decisions_, 6, 2);
  }
  Execution second() {
    decoder_.feed(as_record(begin_));
    Checkpoints::feed(decoder_, decisions_, 6, false);
    return *decoder_.take();
  }
  std::vector<Around> decisions_;
  SealingDecoder decoder_;
  BeginRecord begin_;
};

TEST_F(DamagedCheckpoints, GivenBackItIsWhole) {
  decoder_.reuse(decoder_.take());
  EXPECT_FALSE(second().damaged);
}

TEST_F(DamagedCheckpoints, NotGivenBack) {
  const auto kept = decoder_.take();
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, GivenBackWithoutItsContents) {
  auto first = decoder_.take();
  const Execution kept = std::move(*first);
  decoder_.reuse(std::move(first));
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, AnotherOneGivenBack) {
  auto first = decoder_.take();
  first->plan = 77;
  decoder_.reuse(std::move(first));
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, FromAnotherProcess) {
  decoder_.reuse(decoder_.take());
  decoder_.reset();
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, CountsBeyondWhatIsThere) {
  const BeginRecord good = begin_;
  for (auto change :
       {+[](BeginRecord& begin) { begin.kept_steps = 11; }, +[](BeginRecord& begin) { begin.kept_tasks = 99; },
        +[](BeginRecord& begin) { begin.kept_changes = 1'000; }, +[](BeginRecord& begin) { begin.kept_steps = 1; },
        +[](BeginRecord& begin) { begin.kept_objects = 0xffffffff; }}) {
    decoder_.reset();
    decoder_.feed(as_record(BeginRecord{.plan = 1}));
    Checkpoints::feed(decoder_, decisions_, 0, true);
    decoder_.reuse(decoder_.take());
    begin_ = good;
    change(begin_);
    EXPECT_TRUE(second().damaged);
  }
}

TEST_F(DamagedCheckpoints, BookmarksThatAreNotThere) {
  const BeginRecord good = begin_;
  const auto run = [&](std::uint32_t made, auto change) {
    decoder_.reset();
    decoder_.feed(as_record(BeginRecord{.plan = 1}));
    Checkpoints::feed(decoder_, decisions_, 0, true, {6, made});
    decoder_.reuse(decoder_.take());
    begin_ = good;
    begin_.bookmark = 4;
    change(begin_);
    return second().damaged;
  };
  EXPECT_FALSE(run(3, [](BeginRecord&) {}));
  EXPECT_TRUE(run(2, [](BeginRecord&) {}));
  EXPECT_TRUE(run(kMaxBookmarks, [](BeginRecord&) {}));
  EXPECT_TRUE(run(3, [](BeginRecord& begin) { begin.bookmark = 255; }));
  EXPECT_TRUE(run(3, [](BeginRecord& begin) { begin.kept_steps = 5; }));
  EXPECT_TRUE(run(3, [](BeginRecord& begin) { ++begin.kept_changes; }));
  EXPECT_TRUE(run(3, [](BeginRecord& begin) { ++begin.kept_objects; }));
  EXPECT_TRUE(run(3, [](BeginRecord& begin) { ++begin.kept_tasks; }));
}

TEST_F(DamagedCheckpoints, BookmarksOfAnotherProcess) {
  decoder_.reset();
  decoder_.feed(as_record(BeginRecord{.plan = 1}));
  Checkpoints::feed(decoder_, decisions_, 0, true, {6, 0});
  decoder_.reset();
  begin_.bookmark = 1;
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, BookmarksBeyondTheMemoryForThem) {
  DecodeLimits limits;
  limits.bookmark_bytes = 100;
  SealingDecoder decoder(limits);
  decoder.feed(as_record(BeginRecord{.plan = 1}));
  Checkpoints::feed(decoder, decisions_, 0, true, {6, 0});
  EXPECT_FALSE(decoder.take()->damaged);
  begin_.bookmark = 1;
  decoder.feed(as_record(begin_));
  Checkpoints::feed(decoder, decisions_, 6, false);
  EXPECT_TRUE(decoder.take()->damaged);
}

TEST_F(DamagedCheckpoints, BookmarksOfADamagedExecution) {
  decoder_.reset();
  decoder_.feed(as_record(BeginRecord{.plan = 1}));
  Record unknown{};
  unknown.kind = static_cast<RecordKind>(255);
  decoder_.feed(unknown);
  Checkpoints::feed(decoder_, decisions_, 0, true, {6, 0});
  decoder_.reuse(decoder_.take());
  begin_.bookmark = 1;
  EXPECT_TRUE(second().damaged);
}

TEST_F(DamagedCheckpoints, WhatGoesOnFromDamageIsDamaged) {
  auto first = decoder_.take();
  first->damaged = true;
  decoder_.reuse(std::move(first));
  const Execution execution = second();
  EXPECT_TRUE(execution.damaged);
  EXPECT_NE(execution.message(MessageKind::Note), nullptr);
}

TEST_F(DamagedCheckpoints, MessagesOfAnEndAreNotKept) {
  decoder_.reset();
  decoder_.feed(as_record(BeginRecord{.plan = 1}));
  std::vector<Around> shorter(decisions_.begin(), decisions_.begin() + 6);
  MessageRecord text;
  text.message = MessageKind::Divergence;
  text.last = 1;
  shorter.push_back({decisions_[6].before, {as_record(text)}});
  Checkpoints::feed(decoder_, shorter, 0, true);
  decoder_.reuse(decoder_.take());
  const Execution execution = second();
  EXPECT_EQ(execution.message(MessageKind::Divergence), nullptr);
  EXPECT_FALSE(execution.damaged);
}

}  // namespace
}  // namespace heddle
