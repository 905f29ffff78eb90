// Classification of hand-made executions: kind, message, identity.
#include "analysis/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

#include "analysis/waiting.h"
#include "protocol/services.h"
#include "support/execution_builder.h"

namespace heddle {
namespace {

using test::ExecutionBuilder;
const std::vector<int> kOnlyZero{0};

TEST(Outcome, EndedWell) {
  EXPECT_EQ(classify(ExecutionBuilder().exited(0), kOnlyZero).kind, OutcomeKind::Ok);
  EXPECT_EQ(classify(ExecutionBuilder().exited(77), {0, 77}).kind, OutcomeKind::Ok);
  EXPECT_EQ(classify(ExecutionBuilder().exited(0), {77}).kind, OutcomeKind::Ok) << "0 is always among them";
}

TEST(Outcome, ExitStatusQuotesTheLastLine) {
  const Outcome outcome = classify(ExecutionBuilder().output("a\nlost 3 items\n").exited(4), kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Exit);
  EXPECT_EQ(outcome.message, "the program ended with exit status 4; last line printed: lost 3 items");
}

TEST(Outcome, TwoStatusesAtOnePlaceAreTwoBugs) {
  const auto sites = [](int status) {
    ExecutionBuilder builder;
    builder.pending(0, OperationKind::ProcessExit);
    return classify(builder.exited(status), kOnlyZero).final_sites;
  };
  EXPECT_EQ(sites(3), sites(3));
  EXPECT_NE(sites(3), sites(4));
}

TEST(Outcome, AssertionFromItsMessage) {
  ExecutionBuilder builder;
  builder.message(MessageKind::AssertionFailed, 0, std::string("n == 0\0queue.c\00012\0drain", 24));
  builder.pending(0, OperationKind::None);
  const Outcome outcome = classify(builder.signalled(SIGABRT), kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Assertion);
  EXPECT_EQ(outcome.message, "queue.c:12: drain: Assertion `n == 0' failed");
  EXPECT_EQ(outcome.site, 0x2000u);
}

TEST(Outcome, AbortWithoutAMessageQuotesTheLastLine) {
  const Outcome outcome = classify(ExecutionBuilder().output("stale entry\n").signalled(SIGABRT), kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Assertion);
  EXPECT_EQ(outcome.message, "abort() was called; last line printed: stale entry");
}

TEST(Outcome, AbortByAnException) {
  const auto execution = ExecutionBuilder()
                             .output("terminate called after throwing an instance of 'E'\n  what():  no\n")
                             .signalled(SIGABRT);
  EXPECT_EQ(classify(execution, kOnlyZero).kind, OutcomeKind::Exception);
}

TEST(Outcome, AbortByTheHeap) {
  EXPECT_EQ(classify(ExecutionBuilder().output("free(): invalid pointer\n").signalled(SIGABRT), kOnlyZero).kind,
            OutcomeKind::Crash);
}

TEST(Outcome, CrashNamesSignalAndAddress) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  builder.message(MessageKind::Signal, worker, std::string("11\0001\0000x10\0", 10));
  builder.pending(worker, OperationKind::None);
  Execution execution = builder.end(EndKind::Crashed, W_EXITCODE(0, SIGSEGV), worker);
  const Outcome outcome = classify(execution, kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Crash);
  EXPECT_EQ(outcome.message, "SIGSEGV at address 0x10");
  EXPECT_EQ(outcome.site, 0x2001u);
}

TEST(Outcome, CrashAtAnAddressThatTheKernelDoesNotTell) {
  ExecutionBuilder builder;
  builder.message(MessageKind::Signal, 0, std::string("11\000128\000(nil)\0", 14));
  builder.pending(0, OperationKind::None);
  const Outcome outcome = classify(builder.end(EndKind::Crashed, W_EXITCODE(0, SIGSEGV), 0), kOnlyZero);
  EXPECT_EQ(outcome.message, "SIGSEGV: the address is not known (one that no memory can have, or misaligned)");
}

TEST(Outcome, CrashWithoutAMessage) {
  EXPECT_EQ(classify(ExecutionBuilder().signalled(SIGFPE), kOnlyZero).message, "SIGFPE");
}

TEST(Outcome, KilledFromOutsideIsNoBug) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT})
    EXPECT_EQ(classify(ExecutionBuilder().signalled(signal), kOnlyZero).kind, OutcomeKind::NoVerdict);
  EXPECT_EQ(classify(ExecutionBuilder().end(EndKind::Killed), kOnlyZero).kind, OutcomeKind::NoVerdict);
}

std::string fatal_signal(int number, int code, const std::string& sender = "", const std::string& cause = "") {
  const std::string end(1, '\0');
  return std::to_string(number) + end + std::to_string(code) + end + "0x10" + end + sender + end + cause;
}

TEST(Outcome, EndedByASignalOfTheProgramsOwnIsACrash) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP}) {
    ExecutionBuilder builder;
    builder.message(MessageKind::Signal, 0, fatal_signal(signal, SI_USER)).pending(0, OperationKind::None);
    const Outcome outcome = classify(builder.signalled(signal), kOnlyZero);
    EXPECT_EQ(outcome.kind, OutcomeKind::Crash);
    EXPECT_NE(outcome.message.find(", sent by the program itself"), std::string::npos) << outcome.message;
    ExecutionBuilder from_outside;
    from_outside.message(MessageKind::Signal, 0, fatal_signal(signal, SI_USER, SignalText::kOutside));
    EXPECT_EQ(classify(from_outside.signalled(signal), kOnlyZero).kind, OutcomeKind::NoVerdict);
    EXPECT_TRUE(ended_by_stranger(from_outside.signalled(signal)));
  }
}

TEST(Outcome, SentSignalsHaveNoAddress) {
  ExecutionBuilder builder;
  builder.message(MessageKind::Signal, 0, fatal_signal(SIGSEGV, SI_TKILL));
  EXPECT_EQ(classify(builder.signalled(SIGSEGV), kOnlyZero).message, "SIGSEGV, sent by the program itself");
}

TEST(Outcome, StackOverflowIsNamed) {
  ExecutionBuilder builder;
  builder.message(MessageKind::Signal, 0, fatal_signal(SIGSEGV, 1, "", SignalText::kStackOverflow));
  EXPECT_EQ(classify(builder.signalled(SIGSEGV), kOnlyZero).message, "SIGSEGV at address 0x10: stack overflow");
}

TEST(Outcome, GoogleTestFailure) {
  const auto execution =
      ExecutionBuilder().output("[ RUN      ] A.B\na.cpp:3: Failure\nFailed\n[  FAILED  ] A.B\n").exited(1);
  const Outcome outcome = classify(execution, kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Assertion);
  EXPECT_EQ(outcome.message, "a.cpp:3: Failure\nFailed");
  EXPECT_EQ(classify(execution, {0, 1}).kind, OutcomeKind::Ok);
}

TEST(Outcome, FailuresAtDifferentPlacesAreDifferentBugs) {
  const auto failing = [](const char* place) {
    return classify(
        ExecutionBuilder().output(std::string("[ RUN      ] A.B\n") + place + ": Failure\n3 is not 4\n").exited(1),
        kOnlyZero);
  };
  EXPECT_NE(failing("a.cpp:3").final_sites, failing("a.cpp:4").final_sites);
  EXPECT_EQ(failing("a.cpp:3").final_sites, failing("a.cpp:3").final_sites);
}

TEST(Outcome, AssertionsAreToldApartByWhatTheySay) {
  const auto failing = [](const std::string& text) {
    ExecutionBuilder builder;
    builder.message(MessageKind::AssertionFailed, 0, text);
    builder.pending(0, OperationKind::None);
    return classify(builder.signalled(SIGABRT), kOnlyZero);
  };
  const std::string first("n == 0\0queue.c\00012\0drain", 24), second("n == 0\0queue.c\00013\0drain", 24);
  EXPECT_NE(failing(first).final_sites, failing(second).final_sites);
  EXPECT_EQ(failing(first).final_sites, failing(first).final_sites);
}

TEST(Outcome, ExceptionsAbortsAndCrashesComeWithTheirCalls) {
  const auto ended = [](int signal, const char* output) {
    ExecutionBuilder builder;
    builder.pending(0, OperationKind::None);
    builder.output(output);
    Execution execution = builder.signalled(signal);
    execution.pending_stacks = {{0x10, 0x20}};
    return classify(execution, kOnlyZero).stack;
  };
  const std::vector<Site> calls{0x10, 0x20};
  EXPECT_EQ(ended(SIGABRT, "terminate called after throwing an instance of 'int'\n"), calls);
  EXPECT_EQ(ended(SIGABRT, ""), calls);
  EXPECT_EQ(ended(SIGSEGV, ""), calls);
  // It is known by its text, and found wherever the heap is looked at.
  EXPECT_TRUE(ended(SIGABRT, "free(): invalid pointer\n").empty());
}

TEST(Outcome, DeadlockSaysWhoWaitsForWhat) {
  const Outcome outcome = classify(test::crossed_locks(), kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Deadlock);
  EXPECT_EQ(outcome.message,
            "main waits for mutex 2, which thread 1 holds;\nthread 1 waits for mutex 1, which main holds");
  EXPECT_EQ(outcome.final_sites, (std::vector<Site>{0x2000, 0x2001}));
}

TEST(Outcome, WhoStandsByDoesNotMakeADeadlockAnother) {
  Execution execution = test::crossed_locks();
  PendingRecord by = execution.pending[0];  // waits for what main holds, and nobody waits for it
  by.task = 2;
  by.object = execution.pending[1].object;
  by.held_by = 0;
  by.site = 0x3000;
  execution.pending.push_back(by);
  EXPECT_EQ(classify(execution, kOnlyZero).final_sites, classify(test::crossed_locks(), kOnlyZero).final_sites);
}

TEST(Outcome, WhoWaitsForNobodyIsTheCoreOfADeadlock) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId signal = builder.object(ObjectKind::Condition);
  builder.pending(0, OperationKind::ThreadJoin, builder.execution.tasks[worker].object, worker);
  builder.pending(worker, OperationKind::ConditionWake, signal);
  const Outcome outcome = classify(builder.end(EndKind::Deadlock), kOnlyZero);
  EXPECT_EQ(outcome.final_sites, std::vector<Site>{0x2000u + worker});
}

TEST(Outcome, DeadlockShowsWhereSomebodyWaitsForMoreThanAThread) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId condition = builder.object(ObjectKind::Condition);
  builder.pending(0, OperationKind::ThreadJoin, builder.execution.tasks[worker].object);
  builder.pending(worker, OperationKind::ConditionWake, condition);
  const Outcome outcome = classify(builder.end(EndKind::Deadlock), kOnlyZero);
  EXPECT_EQ(outcome.site, 0x2000u + worker);
  EXPECT_EQ(outcome.message,
            "main waits for thread 1 to end (join);\n"
            "thread 1 waits for a signal on condition variable 1 (condition wait)");
}

TEST(Outcome, AReaderWriterLockMayHaveSeveralHolders) {
  ExecutionBuilder builder;
  const TaskId first = builder.task(), second = builder.task(), gone = builder.task();
  const ObjectId lock = builder.object(ObjectKind::RwLock);
  for (const TaskId task : {first, gone, second}) builder.step(task, OperationKind::ReadLock, lock);
  builder.step(gone, OperationKind::RwUnlock, lock);
  builder.step(first, OperationKind::WriteLock, lock);  // queues behind the readers
  builder.pending(first, OperationKind::WriteLock, lock, gone);
  EXPECT_EQ(classify(builder.end(EndKind::Deadlock), kOnlyZero).message,
            "thread 1 waits to write-lock rwlock 1, which thread 1 and thread 2 hold");
}

TEST(Outcome, ADeadlockBesideServicesMayBeLikelyOnly) {
  const auto ends = [](unsigned ticks, bool in_ring) {
    ExecutionBuilder builder;
    const TaskId service = builder.task(), other = builder.task();
    const ObjectId one = builder.object(ObjectKind::Mutex), two = builder.object(ObjectKind::Mutex);
    builder.step(0, OperationKind::MutexLock, one);
    for (unsigned i = 0; i < ticks; ++i) builder.step(service, OperationKind::Sleep);
    builder.pending(0, OperationKind::MutexLock, two, in_ring ? other : service);
    builder.pending(other, OperationKind::MutexLock, one, 0);
    builder.pending(service, OperationKind::Sleep).state = TaskState::Timeout | kServiceState;
    Execution execution = builder.end(EndKind::Deadlock);
    execution.end.loop_from = 1;
    return execution;
  };
  EXPECT_FALSE(is_likely_only(ends(kSeenServiceSteps - 1, false))) << "the user has said it, or all came again";
  EXPECT_TRUE(is_likely_only(ends(kSeenServiceSteps, false)));
  EXPECT_FALSE(is_likely_only(ends(kSeenServiceSteps, true))) << "no service can change that";
  const std::string message = classify(ends(kSeenServiceSteps, false), kOnlyZero).message;
  EXPECT_NE(message.find("thread 1 only ticks: a deadlock is likely, and not proved"), std::string::npos) << message;
}

TEST(Outcome, ALoopIsTheSameWhereverItIsCut) {
  const auto spinning = [](unsigned steps) {
    ExecutionBuilder builder;
    const TaskId spinner = builder.task(), other = builder.task();
    builder.execution.changes.push_back({0, other, TaskState::Enabled | TaskState::Eligible});
    for (unsigned i = 0; i < steps; ++i) builder.step(spinner, OperationKind::MutexTryLock, kNoObject, 0x1000 + i % 3);
    return classify(builder.end(EndKind::StepLimit), kOnlyZero);
  };
  EXPECT_EQ(spinning(5000).kind, OutcomeKind::GoodSamaritan);
  EXPECT_EQ(spinning(5000).message, "the program did not end within 5000 steps (possibly it never would)");
  EXPECT_EQ(spinning(5000).final_sites, spinning(5001).final_sites);
}

TEST(Outcome, AProvedLoopSaysWhereItBegins) {
  ExecutionBuilder builder;
  for (unsigned i = 0; i < 20; ++i) builder.step(0, OperationKind::Yield, kNoObject, 0x1000 + i);
  Execution execution = builder.end(EndKind::Livelock);
  execution.end.loop_from = 15;
  const Outcome outcome = classify(execution, kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Livelock);
  EXPECT_EQ(outcome.message, "the program goes round for ever: after 20 steps all is as it was after 15");
  EXPECT_EQ(outcome.final_sites.size(), 5u);
}

TEST(Outcome, WhoNeverGivesWayIsToldApart) {
  const auto round = [](OperationKind kind) {
    ExecutionBuilder builder;
    const TaskId spinner = builder.task(), other = builder.task();
    builder.execution.changes.push_back({0, other, TaskState::Enabled | TaskState::Eligible});
    for (unsigned i = 0; i < 3000; ++i) builder.step(spinner, kind, kNoObject, 0x1000);
    return classify(builder.end(EndKind::StepLimit), kOnlyZero).kind;
  };
  EXPECT_EQ(round(OperationKind::MutexTryLock), OutcomeKind::GoodSamaritan);
  EXPECT_EQ(round(OperationKind::Yield), OutcomeKind::NoVerdict);  // it may be long, and nobody is to blame
}

TEST(Outcome, MisuseQuotesTheModel) {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  builder.message(MessageKind::Misuse, worker, "unlocked a mutex that another thread holds");
  builder.pending(worker, OperationKind::MutexUnlock, builder.object(ObjectKind::Mutex));
  const Outcome outcome = classify(builder.end(EndKind::Misuse, 0, worker), kOnlyZero);
  EXPECT_EQ(outcome.kind, OutcomeKind::Misuse);
  EXPECT_EQ(outcome.message, "thread 1 unlocked a mutex that another thread holds");
}

TEST(Outcome, DivergedIsNoBug) {
  ExecutionBuilder builder;
  builder.message(MessageKind::Divergence, 0, "thread 1 can't run");
  const Outcome outcome = classify(builder.end(EndKind::Diverged), kOnlyZero);
  EXPECT_FALSE(is_bug(outcome.kind));
  EXPECT_EQ(outcome.message, "the schedule could not be followed at step 0: thread 1 can't run");
}

TEST(Outcome, ARaceIsTheSameInWhicheverOrder) {
  ExecutionRace race;
  race.earlier.site = 0x2000;
  race.earlier.flags = RaceFlags::Write;
  race.later.site = 0x1000;
  const Outcome outcome = race_outcome(race);
  EXPECT_TRUE(is_bug(outcome.kind));
  EXPECT_EQ(outcome.site, 0x1000u);
  EXPECT_EQ(outcome.final_sites, (std::vector<Site>{0x1000, 0x2000}));
  EXPECT_EQ(outcome.message, "a read and a write of the same memory, which nothing orders");
  Execution execution;
  const ModuleMap none;
  EXPECT_EQ(same_race(execution, none, race, none), nullptr);
  execution.races.push_back({race.later, race.earlier, {}, {}});
  EXPECT_EQ(same_race(execution, none, race, none), &execution.races[0]);
  ModuleMap here, there;
  here.add({"/bin/program", 0, 0, 0x10000, false});
  there.add({"/bin/program", 0x500000, 0x500000, 0x510000, false});
  EXPECT_EQ(same_race(execution, here, race, there), nullptr);
  race.earlier.site += 0x500000;
  race.later.site += 0x500000;
  EXPECT_EQ(same_race(execution, here, race, there), &execution.races[0]);
}

TEST(Outcome, NamesAreThoseOfJson) {
  EXPECT_STREQ(name(OutcomeKind::Assertion), "assertion");
  EXPECT_STREQ(name(OutcomeKind::Misuse), "misuse");
  EXPECT_STREQ(name(OutcomeKind::NoVerdict), "no verdict");
}

}  // namespace
}  // namespace heddle
