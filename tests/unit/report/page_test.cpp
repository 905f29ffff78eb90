// The page and its parts, from hand-made executions without any program behind them.
#include "report/page.h"

#include <gtest/gtest.h>

#include <fstream>

#include "analysis/source_text.h"
#include "report/columns.h"
#include "report/explain.h"
#include "report/explain_moment.h"
#include "report/page_writers.h"
#include "report/phrases.h"
#include "report/progress.h"
#include "report/step_selection.h"
#include "report/summary.h"
#include "support/execution_builder.h"

namespace heddle {
namespace {

using test::ExecutionBuilder;

Document document_of(const Execution& execution, OutcomeKind kind, const std::string& message = "") {
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  SourceText sources;
  const PageInput input{{"./test", "a b"}, kind, message, "out/bug-1.trace", {}};
  return make_page(input, execution, names, sources);
}

std::string page_of(const Execution& execution, OutcomeKind kind, std::size_t width = 100,
                    const std::string& message = "") {
  return write_text(document_of(execution, kind, message), {width});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Page, DeadlockNamesTheRing) {
  const std::string page = page_of(test::crossed_locks(), OutcomeKind::Deadlock);
  EXPECT_TRUE(has(page, "Deadlock in ./test 'a b'")) << page;
  EXPECT_TRUE(has(page, "main and thread 1 wait for each other")) << page;
  EXPECT_TRUE(has(page, "main is preempted here")) << page;
  EXPECT_TRUE(has(page, "✗ can't lock mutex 2: thread 1 has it")) << page;
  EXPECT_TRUE(has(page, "heddle replay out/bug-1.trace")) << page;
  EXPECT_TRUE(has(page, "heddle run --like=out/bug-1.trace")) << page;
}

TEST(Page, FitsItsWidth) {
  for (const std::size_t width : {60u, 80u, 100u, 140u}) {
    std::string page = page_of(test::crossed_locks(), OutcomeKind::Deadlock, width);
    page.resize(page.find("To go on"));
    std::size_t begin = 0;
    while (begin < page.size()) {
      const std::size_t end = std::min(page.find('\n', begin), page.size());
      EXPECT_LE(shown_width(page.substr(begin, end - begin)), width) << page.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(Page, ManyThreadsBecomeAList) {
  ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  for (int i = 0; i < 12; ++i) {
    const TaskId task = builder.task();
    builder.step(task, OperationKind::MutexLock, mutex);
    builder.step(task, OperationKind::MutexUnlock, mutex);
  }
  const std::string page = page_of(builder.exited(0), OutcomeKind::Ok);
  EXPECT_TRUE(has(page, "thread 12  locks mutex 1")) << page;
}

TEST(Page, WhoEndsTheProgramIsSaid) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  builder.step(worker, OperationKind::ThreadStart);
  builder.step(0, OperationKind::ThreadExit);
  Execution execution = builder.exited(3);
  execution.end.task = worker;
  const std::string page = page_of(execution, OutcomeKind::Exit);
  EXPECT_TRUE(has(page, "main: has ended")) << page;
  EXPECT_TRUE(has(page, "thread 1: ended the program")) << page;
}

TEST(Page, ThousandsOfThreadsDoNotFillIt) {
  ExecutionBuilder builder;
  for (int i = 0; i < 5000; ++i) {
    const TaskId task = builder.task();
    builder.step(task, OperationKind::ThreadStart);
    if (i % 10 == 0) builder.pending(task, OperationKind::SemaphoreWait);
  }
  const std::string page = page_of(builder.end(EndKind::Deadlock), OutcomeKind::Deadlock);
  EXPECT_LT(std::count(page.begin(), page.end(), '\n'), 700) << page;
}

TEST(Page, UninterestingStepsAreFolded) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  for (int i = 0; i < 500; ++i) {
    const ObjectId mutex = builder.object(ObjectKind::Mutex);
    builder.step(0, OperationKind::MutexLock, mutex);
    builder.step(0, OperationKind::MutexUnlock, mutex);
  }
  builder.step(worker, OperationKind::ThreadStart);
  builder.step(worker, OperationKind::ThreadExit);
  const std::string page = page_of(builder.exited(0), OutcomeKind::Ok);
  EXPECT_TRUE(has(page, " by main")) << page;
  EXPECT_LT(std::count(page.begin(), page.end(), '\n'), 80);
}

TEST(Page, EveryKindHasItsWords) {
  const std::pair<OutcomeKind, const char*> cases[] = {
      {OutcomeKind::Assertion, "A check failed"},   {OutcomeKind::Crash, "The program crashed"},
      {OutcomeKind::Exception, "nobody caught"},    {OutcomeKind::Exit, "Ended with 4."},
      {OutcomeKind::Livelock, "was stopped there"}, {OutcomeKind::Misuse, "does not allow"},
      {OutcomeKind::Race, "nothing orders them"}};
  for (const auto& [kind, words] : cases) {
    Execution execution = test::crossed_locks();
    execution.end.end = kind == OutcomeKind::Livelock ? EndKind::StepLimit : EndKind::Exited;
    execution.races = {ExecutionRace()};
    EXPECT_TRUE(has(page_of(execution, kind, 100, "ended with 4"), words)) << name(kind);
  }
}

TEST(Page, WhoFreedTheBlockBeforeIsSaid) {
  using namespace std::string_literals;
  Execution execution = test::crossed_locks();
  execution.end.end = EndKind::Exited;
  const auto page_when = [&](const std::string& told) {
    execution.messages = {{MessageKind::HeapFault, 0, 0, told}};
    return page_of(execution, OutcomeKind::Crash, 100, "free(): double free detected");
  };
  std::string page = page_when("7f00\0freed 7f00 0 1 3 401000\0block 7f00 10 0 0"s);
  EXPECT_TRUE(has(page, "Before it was freed by thread 1 at")) << page;
  EXPECT_TRUE(has(page, "(after step 2).")) << page;
  EXPECT_TRUE(has(page, "The block of 16 bytes was allocated by main.")) << page;
  page = page_when("7f08\0block 7f00 10 ffff 0"s);
  EXPECT_FALSE(has(page, "was freed by")) << page;
  EXPECT_TRUE(has(page, "The pointer lies 8 bytes behind the beginning of a block.")) << page;
  EXPECT_TRUE(has(page, "was allocated by a thread that Heddle does not schedule.")) << page;
  page = page_when("7f00\0block 7f00 d 0 0\0freed 7f00 0 1 3\0overrun 2"s);
  EXPECT_TRUE(has(page, "The block of 13 bytes was allocated by main.")) << page;
  EXPECT_TRUE(has(page, "At least 2 bytes behind its end were written to.")) << page;
  EXPECT_FALSE(has(page, "freed by")) << page;
}

// Who freed it last need not be who freed it too early.
TEST(Page, EarlierLivesOfABlockAreToldToo) {
  using namespace std::string_literals;
  Execution execution = test::crossed_locks();
  execution.end.end = EndKind::Exited;
  execution.messages.push_back({MessageKind::HeapFault, 0, 0,
                                "7f00\0freed 7f00 0 1 9\0block 7f00 5a 1 8\0freed 7f00 0 0 7\0block 7f00 64 0 0"s});
  const std::string page = page_of(execution, OutcomeKind::Crash, 100, "free(): double free detected");
  EXPECT_TRUE(has(page, "Before it was freed by thread 1 (after step 8).")) << page;
  EXPECT_TRUE(has(page, "The block of 90 bytes was allocated by thread 1 (after step 7).")) << page;
  EXPECT_TRUE(has(page, "Before that it was freed by main (after step 6).")) << page;
  EXPECT_TRUE(has(page, "The block of 100 bytes was allocated by main.")) << page;
}

TEST(Page, AnEmptyExecutionHasAPage) {
  EXPECT_FALSE(page_of(Execution(), OutcomeKind::NoVerdict).empty());
  EXPECT_FALSE(page_of(Execution(), OutcomeKind::Deadlock).empty());
}

// A wait, a signal in vain, a wait that nobody ends.
TEST(Explain, ASignalThatCameTooEarly) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId condition = builder.object(ObjectKind::Condition);
  builder.step(0, OperationKind::ConditionSignal, condition);
  builder.step(worker, OperationKind::ConditionWait, condition);
  builder.pending(worker, OperationKind::ConditionWake, condition);
  const std::string page = page_of(builder.end(EndKind::Deadlock), OutcomeKind::Deadlock, 140);
  EXPECT_TRUE(has(page, "came from main")) << page;
  EXPECT_TRUE(has(page, "when nobody was waiting: it had no effect")) << page;
}

TEST(Explain, WhereALivelockGoesRound) {
  ExecutionBuilder builder;
  for (int i = 0; i < 3000; ++i) builder.step(0, OperationKind::Yield, kNoObject, i % 2 == 0 ? 0x10 : 0x20);
  const std::string page = page_of(builder.end(EndKind::StepLimit), OutcomeKind::Livelock, 100, "it did not end");
  EXPECT_TRUE(has(page, "In the last 2,000 steps main did this: it yields (0x10); it yields (0x20).")) << page;
  EXPECT_LT(std::count(page.begin(), page.end(), '\n'), 120);
}

TEST(Explain, WhoElseUsedAMisusedObject) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  builder.step(worker, OperationKind::MutexLock, mutex);
  builder.message(MessageKind::Misuse, 0, "destroyed a mutex that is still locked");
  builder.pending(0, OperationKind::MutexDestroy, mutex);
  const std::string page = page_of(builder.end(EndKind::Misuse), OutcomeKind::Misuse, 140, "main destroyed it");
  EXPECT_TRUE(has(page, "The last thing that another thread did with it: thread 1 locks mutex 1")) << page;
}

TEST(Explain, TimeoutsAreNamed) {
  ExecutionBuilder builder;
  const ObjectId condition = builder.object(ObjectKind::Condition);
  builder.step(0, OperationKind::ConditionWait, condition);
  builder.step(0, OperationKind::ConditionWake, condition).variant = kTimeout;
  const Execution execution = builder.exited(1);
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  ASSERT_EQ(timeouts_fired(OutcomeKind::Deadlock, execution, names).size(), 1u);
  EXPECT_EQ(timeouts_fired(OutcomeKind::Deadlock, execution, names)[0].text(),
            "main's wait on condition variable 1 at 0x1000 (step 1)");
}

TEST(Explain, ARaceNeedsNoTimeoutThatFiresAfterIt) {
  ExecutionBuilder builder;
  builder.step(0, OperationKind::Sleep).variant = kTimeout;
  builder.step(0, OperationKind::Sleep).variant = kTimeout;
  Execution execution = builder.exited(1);
  execution.races.emplace_back();
  execution.races[0].later.step = 1;
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  EXPECT_EQ(timeouts_fired(OutcomeKind::Race, execution, names).size(), 1u);
  EXPECT_EQ(timeouts_fired(OutcomeKind::Assertion, execution, names).size(), 2u);
}

std::string moment_of(const Moment& moment) {
  const Execution execution = test::crossed_locks();
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  std::string text;
  for (const Line& line : when_it_became_likely(moment, execution, names).lines) text += line.words.text() + "\n";
  return text;
}

TEST(Explain, TheStepThatDecidesIsTheOneAtWhichTheShareJumps) {
  const Moment moment{{{0, 20, 1}, {1, 100, 10}, {2, 100, 100}, {4, 20, 20}}, Moment::Passing{3, 1}};
  const std::string text = moment_of(moment);
  EXPECT_TRUE(has(text, "Step 1 decides: ")) << text;
  EXPECT_TRUE(
      has(text, "Continued at random after it, 100 of 100 runs fail in this way; continued before it, 10 of 100."))
      << text;
  EXPECT_TRUE(has(text, "A schedule that passes is the same up to step 3, ")) << text;
  EXPECT_FALSE(has(text, "After step")) << text;
}

TEST(Explain, AStepThatLeavesAWayOutMakesItLikely) {
  const std::string text = moment_of({{{0, 20, 0}, {1, 100, 0}, {2, 100, 60}, {3, 20, 20}, {4, 20, 20}}, {}});
  EXPECT_TRUE(has(text, "Step 1 makes it likely: ")) << text;
  EXPECT_TRUE(has(text, "after it, 60 of 100 runs fail in this way; continued before it, 0 of 100.")) << text;
  EXPECT_TRUE(has(text, "After step 2, all fail.")) << text;
}

TEST(Explain, NoStepIsNamedWhereNoneIsKnownExactly) {
  EXPECT_EQ(moment_of({{{0, 20, 0}, {2, 20, 20}, {4, 20, 20}}, {}}), "");
  EXPECT_EQ(moment_of({}), "");
  EXPECT_EQ(moment_of({{{0, 20, 20}, {4, 20, 20}}, {}}),
            "No step decides: 20 of 20 random schedules fail in this way.\n");
}

// A trace can say anything.
TEST(Explain, NoStepIsNamedAfterFewRuns) {
  EXPECT_EQ(moment_of({{{0, 20, 0}, {1, 20, 0}, {2, 20, 20}, {4, 20, 20}}, {}}), "");
}

TEST(Explain, StepsAndThreadsThatThereAreNotAreLeftOut) {
  EXPECT_EQ(moment_of({{{900, 20, 0}, {901, 20, 20}}, Moment::Passing{900, 77}}), "");
}

TEST(Phrases, NameADozenTimeoutsAndCountTheOthers) {
  ExecutionBuilder builder;
  for (int i = 0; i < 20; ++i) builder.step(0, OperationKind::Sleep).variant = kTimeout;
  const Execution execution = builder.exited(1);
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  const std::vector<Prose> fired = timeouts_fired(OutcomeKind::Deadlock, execution, names);
  ASSERT_EQ(fired.size(), 13u);
  EXPECT_EQ(fired[11].text().find("main's sleep at "), 0u) << fired[11].text();
  EXPECT_EQ(fired[12].text(), "and 8 more");
}

TEST(Phrases, SayWhoIsWoken) {
  ExecutionBuilder builder;
  const TaskId first = builder.task(), second = builder.task();
  const ObjectId condition = builder.object(ObjectKind::Condition), mutex = builder.object(ObjectKind::Mutex);
  builder.step(first, OperationKind::ConditionWait, condition).object2 = mutex;
  builder.step(second, OperationKind::ConditionWait, condition).object2 = mutex;
  builder.step(0, OperationKind::ConditionSignal, condition).variant = 1;
  builder.step(0, OperationKind::ConditionBroadcast, condition);
  builder.step(0, OperationKind::ConditionSignal, condition);
  const Execution execution = builder.exited(0);
  PlainNames names(execution);
  Phrases phrases(execution, names);
  EXPECT_EQ(phrases.step(0).text(), "begins to wait on condition variable 1, unlocks mutex 1");
  EXPECT_EQ(phrases.step(2).text(), "signals condition variable 1: wakes thread 2");
  EXPECT_EQ(phrases.step(3).text(), "broadcasts condition variable 1: wakes thread 1");
  EXPECT_EQ(phrases.step(4).text(), "signals condition variable 1: nobody is waiting");
  EXPECT_TRUE(phrases.in_vain(4));
  EXPECT_FALSE(phrases.in_vain(3));
}

TEST(Phrases, SayWhatCameOfIt) {
  ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex), semaphore = builder.object(ObjectKind::Semaphore);
  builder.step(0, OperationKind::MutexTryLock, mutex).result = EBUSY;
  builder.step(0, OperationKind::MutexLock, mutex).result = EDEADLK;
  builder.step(0, OperationKind::SemaphoreGetValue, semaphore).result = 3;
  builder.step(0, OperationKind::MutexLock, mutex).variant = kTimeout;
  builder.step(0, OperationKind::MutexTryLock, mutex).variant = kSpurious;
  const Execution execution = builder.exited(0);
  PlainNames names(execution);
  Phrases phrases(execution, names);
  EXPECT_EQ(phrases.step(0).text(), "tries to lock mutex 1: it is taken");
  EXPECT_EQ(phrases.step(1).text(), "locks mutex 1 (EDEADLK)");
  EXPECT_EQ(phrases.step(2).text(), "reads the value of semaphore 1: 3");
  EXPECT_EQ(phrases.step(3).text(), "gives up to lock mutex 1: its time is over");
  EXPECT_EQ(phrases.step(4).text(), "fails to lock mutex 1 for no reason (spurious failure)");
}

TEST(StepSelection, CoversEveryStepOnceAndStaysShort) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  for (int i = 0; i < 10'000; ++i) builder.step(i % 2 == 0 ? 0 : worker, OperationKind::MutexLock, mutex);
  const auto stretches = select_steps(builder.end(EndKind::StepLimit));
  std::size_t next = 0, shown = 0;
  for (const Stretch& stretch : stretches) {
    EXPECT_EQ(stretch.first, next);
    next = stretch.last;
    if (stretch.how == Stretch::How::Shown) shown += stretch.last - stretch.first;
  }
  EXPECT_EQ(next, 10'000u);
  EXPECT_LE(shown, 150u);
}

TEST(StepSelection, ShowsWhereAThreadLearnsWhatAnotherOneWrote) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId flag = builder.object(ObjectKind::Memory), own = builder.object(ObjectKind::Memory);
  builder.step(0, OperationKind::AtomicStore, flag).flags = StepFlags::Wrote;
  std::vector<std::size_t> news;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 9; ++j) builder.step(worker, OperationKind::AtomicLoad, j == 4 ? flag : own, Site(100 * i + j));
  for (const Stretch& stretch : select_steps(builder.exited(0)))
    if (stretch.how == Stretch::How::Shown)
      for (std::size_t step = stretch.first; step < stretch.last; ++step) news.push_back(step);
  EXPECT_EQ(news, (std::vector<std::size_t>{0, 1, 5, 27})) << "the first, around the switch, the first look, the last";
}

TEST(Columns, WrapAndCutByCharacters) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped("größe größe", 5), (std::vector<std::string>{"größe", "größe"}));
  EXPECT_EQ(cut("größer", 5), "größ…");
  EXPECT_EQ(cut_front("größer", 5), "…ößer");
  EXPECT_EQ(cut_name("Account.withdraw 12", 12), "Account.… 12");
  EXPECT_EQ(cut_name("withdraw 2", 12), "withdraw 2");
  EXPECT_EQ(cut_name("withdraw12", 8), "withdra…");
  EXPECT_EQ(cut_name("12", 1), "…");
  EXPECT_EQ(padded("ö", 3), "ö  ");
  EXPECT_EQ(shown_width("── é"), 4u);
}

TEST(Summary, ABugBlockTellsHowToGoOn) {
  Bug bug;
  bug.id = 1;
  bug.outcome = {OutcomeKind::Assertion, "q.cpp:3: Failure\nFailed", 0, {}, {}};
  bug.trace_path = "out/bug 1.trace";
  bug.schedule = 13;
  bug.preemptions = 2;
  bug.replay = Bug::Replay::Reproduced;
  bug.timeouts_fired = {"main's wait on m at q.cpp:9 (step 4)"};
  const std::string block = bug_block(bug, {});
  EXPECT_EQ(block.find("Bug 1: assertion, in schedule 13, with 2 preemptions\n  q.cpp:3: Failure\n  Failed\n"), 0u)
      << block;
  EXPECT_TRUE(has(block, "needs a timeout: main's wait on m at q.cpp:9 (step 4)")) << block;
  EXPECT_TRUE(has(block, "heddle show 'out/bug 1.trace'")) << block;
  bug.schedule = 1;
  bug.preemptions = 0;
  EXPECT_TRUE(has(bug_block(bug, {}), "fails without any preemption"));
  bug.replay = Bug::Replay::Different;
  EXPECT_TRUE(has(bug_block(bug, {}), "did NOT happen again"));
}

TEST(Progress, OneLine) {
  EXPECT_EQ(progress_line({2, "bounded", 12345, {}, 6789, 1, 3, 57}),
            "bound 2 · 12,345 schedules · 6,789/s · 1 bug · 57 s left");
  EXPECT_EQ(progress_line({2, "bounded", 12345, {}, 6789, 0, 3, 57, 812, 40123}),
            "bound 2 · 12,345 schedules · 6,789/s · 57 s left · 810 pending · 40,000 left out as equivalent");
  EXPECT_EQ(progress_line({{}, "random", 1, {}, 0, 0, 3, 200}), "random · 1 schedule · 0/s · 3 min 20 s left");
  EXPECT_EQ(progress_line({1, "bounded", 1200, Estimate{5213, 4700, 6049}, 100, 0, 3, 20}),
            "bound 1 · 1,200 schedules of about 5,200 (4,700 to 6,000), 40 s to go · 100/s · 20 s left");
}

TEST(SourceText, LinesOfFiles) {
  const std::string path = ::testing::TempDir() + "source_text_test." + std::to_string(getpid());
  std::ofstream(path) << "first\n  second  \n";
  SourceText sources;
  EXPECT_EQ(sources.line(path, 2), "second");
  EXPECT_EQ(sources.line(path, 3), "");
  EXPECT_EQ(sources.line(path, 0), "");
  EXPECT_EQ(sources.line("/nowhere", 1), "");
}

}  // namespace
}  // namespace heddle
