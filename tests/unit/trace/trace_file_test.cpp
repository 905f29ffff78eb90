// Trace files: what is written is read back, and whatever is not a whole trace of this format is refused with a reason.
#include "trace/trace_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/execution_builder.h"
#include "trace/compare.h"

namespace heddle {
namespace {

Trace example() {
  Trace trace;
  TraceHeader& header = trace.header;
  header.heddle_version = "0.1.0";
  header.program = "/tmp/queue_test";
  header.invoked_as = "./queue_test";
  header.build_id = "abc123";
  header.arguments = {"--gtest_filter=Queue.Drains", std::string("bytes \xff\xfe"), ""};
  header.directory = "/tmp";
  header.environment = {{"LANG", "C"}, {"TZ", "UTC"}};
  header.carrier = CarrierKind::Thread;
  header.isolation = IsolationKind::Exec;
  header.clock = ClockKind::Real;
  header.realtime_start = 1'700'000'000'000'000'000;
  header.monotonic_start = -1;
  header.input_seed = UINT64_MAX;
  header.processors = 4;
  header.max_steps = 200'000;
  header.timeouts = Timeouts::Late;
  header.spurious_wakeups = 2;
  header.start_at = "begin";
  header.target = "queue_test";
  header.ok_exit = {0, 77};
  header.search = {{"--search", "random"}, {"--keep-going", "yes"}};
  header.schedule = 4711;
  header.preemptions = 2;
  header.moment = {{{0, 20, 1}, {3, 100, 7}, {4, 100, 100}}, Moment::Passing{3, 1}};
  header.outcome_kind = "deadlock";
  header.outcome_message = "main waits";
  header.points = {{"queue_test", 0x100}, {"libplugin.so", 0x200}, {"", 0x7f0000001000}};
  header.point_lines = {{"queue.cpp", "push", "count = seen + 1;", 12, 1, 3}, {"plugin.c", "work", "", 3}, {}};
  trace.plan.id = 4711;
  tell_policy<PolicyKind::Random>(trace.plan, {7});
  trace.plan.deltas = {{2, {1, 0}}, {5, {0, kTimeout}}, {9, {1, 3}}};
  trace.modules.add({"/tmp/queue_test", 0x1000, 0x1000, 0x9000});
  trace.modules.add({"/lib/libc.so.6", 0x10000, 0x10000, 0x90000});
  trace.module_build_ids = {"abc123", ""};
  trace.execution = test::crossed_locks();
  trace.execution.plan = 4711;
  trace.execution.objects[2].address = 0x4040;
  trace.execution.tasks[1].entry = 0x1234;
  trace.execution.steps[3].variant = kTimeout;
  trace.execution.steps[3].result = -110;
  trace.execution.steps[2].variants = 3;
  trace.execution.steps[2].variant = 2;
  trace.execution.stacks = {{}, {0x1001, 0x10002, 0x999999}, {}, {0x1003}};
  ExecutionRace race;
  race.earlier = {.flags = RaceFlags::Write, .task = 0, .size = 4, .address = 0x5000, .site = 0x1100, .step = 1};
  race.later = {.flags = RaceFlags::Later, .task = 1, .size = 4, .address = 0x5000, .site = 0x1200, .step = 2};
  race.later_stack = {0x1200, 0x1300};
  trace.execution.races.push_back(race);
  trace.execution.pending_stacks = {{0x2000}, {}};
  trace.execution.messages.push_back({MessageKind::AssertionFailed, 1, 2, std::string("a\0b\0c", 5)});
  trace.execution.messages.push_back({MessageKind::Note, kNoTask, 4, "at the end"});
  return trace;
}

TEST(TraceFile, HeaderRoundTrip) {
  const std::string text = format_trace(example());
  const ReadTrace read = parse_trace(text, "t");
  ASSERT_TRUE(read.trace) << read.error;
  EXPECT_EQ(read.trace->header.arguments, example().header.arguments);
  EXPECT_EQ(read.trace->header.environment, example().header.environment);
  EXPECT_EQ(read.trace->header.search, example().header.search);
  EXPECT_EQ(read.trace->header.points, example().header.points);
  EXPECT_EQ(read.trace->header.point_lines, example().header.point_lines);
  EXPECT_EQ(read.trace->header.input_seed, UINT64_MAX);
  EXPECT_EQ(read.trace->header.monotonic_start, -1);
  EXPECT_EQ(read.trace->header.carrier, CarrierKind::Thread);
  EXPECT_EQ(read.trace->plan.deltas, example().plan.deltas);
  EXPECT_EQ(read.trace->plan.policy, PolicyKind::Random);
  EXPECT_EQ(read.trace->plan.for_policy, example().plan.for_policy);
  EXPECT_TRUE(read.trace->plan.stacks);
}

// A trace from before `own_folder` was written by a replay, which is always exec: it ran in a scratch folder.
TEST(TraceFile, AProgramIsNamed) {
  EXPECT_EQ(read_trace("/proc/self/exe").error,
            "/proc/self/exe is a program, not a trace; heddle run searches it for bugs");
}

TEST(TraceFile, TheFolderIsThatOfTheExecution) {
  for (const bool own_folder : {false, true}) {
    Trace trace = example();
    trace.header.own_folder = own_folder;
    std::string text = format_trace(trace);
    ReadTrace read = parse_trace(text, "t");
    ASSERT_TRUE(read.trace) << read.error;
    EXPECT_EQ(read.trace->header.own_folder, own_folder);
    const std::string setting = std::string("\"own_folder\":") + (own_folder ? "true," : "false,");
    ASSERT_NE(text.find(setting), std::string::npos);
    text.erase(text.find(setting), setting.size());
    read = parse_trace(text, "t");
    ASSERT_TRUE(read.trace) << read.error;
    EXPECT_TRUE(read.trace->header.own_folder);
  }
}

TEST(TraceFile, WrittenAgainItIsTheSame) {
  const std::string text = format_trace(example());
  const ReadTrace read = parse_trace(text, "t");
  ASSERT_TRUE(read.trace) << read.error;
  EXPECT_EQ(format_trace(*read.trace), text);
  EXPECT_FALSE(compare(example().execution, read.trace->execution));
  EXPECT_EQ(read.trace->execution.stacks, example().execution.stacks);
  EXPECT_EQ(read.trace->execution.messages[0].text, example().execution.messages[0].text);
}

TEST(TraceFile, NamesOfFilesMayHoldAnyBytes) {
  Trace trace = example();
  trace.header.program = "/tmp/queue\xfc";
  trace.header.environment = {{"GTEST_\xfc", "\xfc"}};
  trace.modules = ModuleMap();
  trace.modules.add({"/tmp/queue\xfc", 0x1000, 0x1000, 0x9000});
  trace.modules.add({"/lib/libc.so.6", 0x10000, 0x10000, 0x90000});
  const ReadTrace read = parse_trace(format_trace(trace), "t");
  ASSERT_TRUE(read.trace) << read.error;
  EXPECT_EQ(read.trace->header.program, trace.header.program);
  EXPECT_EQ(read.trace->header.environment[0].second, "\xfc");
  EXPECT_EQ(read.trace->modules.entries()[0].path, trace.modules.entries()[0].path);
  EXPECT_EQ(read.trace->execution.stacks, trace.execution.stacks);
}

TEST(TraceFile, SitesAreWrittenRelativeToTheirModule) {
  EXPECT_NE(format_trace(example()).find("\"site\":\"queue_test+0x0\""), std::string::npos);
  EXPECT_NE(format_trace(example()).find("\"0x999999\""), std::string::npos);
}

Trace livelock(std::size_t rounds) {
  Trace trace = example();
  test::ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  builder.step(0, OperationKind::Yield);
  for (std::size_t i = 0; i < rounds; ++i) {
    builder.step(0, OperationKind::MutexLock, mutex, 0x1010);
    builder.step(0, OperationKind::MutexUnlock, mutex, 0x1020);
    builder.step(0, OperationKind::Yield, kNoObject, 0x1030);
  }
  builder.step(0, OperationKind::MutexLock, mutex);
  trace.execution = builder.end(EndKind::StepLimit);
  trace.plan.deltas.clear();
  for (std::uint32_t i = 0; i < trace.execution.steps.size(); ++i) {
    trace.plan.deltas.push_back({i, {static_cast<TaskId>(i < 10 ? 0 : 1), 0}});
    trace.execution.stacks.push_back({trace.execution.steps[i].site, 0x1500});
  }
  trace.execution.plan = trace.plan.id;
  return trace;
}

TEST(TraceFile, WordsForThePolicyAreWholeItemsOfIts) {
  const std::string text = format_trace(example()), words = "\"for_policy\":[7,0]";
  const auto at = text.find(words);
  ASSERT_NE(at, std::string::npos) << text;
  const auto with = [&](const char* other) {
    return parse_trace(std::string(text).replace(at, words.size(), other), "t");
  };
  EXPECT_EQ(with("\"seed\":7").trace->plan.for_policy, example().plan.for_policy) << "as older traces have it";
  EXPECT_EQ(with("\"for_policy\":[7]").trace->plan.for_policy, example().plan.for_policy) << "so have others";
  EXPECT_NE(with("\"for_policy\":[7,0,1]").error.find("no such items"), std::string::npos);
  std::string by_default = text;
  const std::string policy = "\"policy\":\"random\"";
  by_default.replace(by_default.find(policy), policy.size(), "\"policy\":\"default\"");
  EXPECT_NE(parse_trace(by_default, "t").error.find("no such items"), std::string::npos);
}

TEST(TraceFile, RepetitionsAreShort) {
  const Trace trace = livelock(50'000);
  const std::string text = format_trace(trace);
  EXPECT_LT(text.size(), 4000u) << text;
  const ReadTrace read = parse_trace(text, "t");
  ASSERT_TRUE(read.trace) << read.error;
  EXPECT_FALSE(compare(trace.execution, read.trace->execution));
  EXPECT_EQ(read.trace->execution.stacks, trace.execution.stacks);
  EXPECT_EQ(read.trace->plan.deltas, trace.plan.deltas);
  EXPECT_EQ(format_trace(*read.trace), text);
}

TEST(TraceFile, CountsThatWereEditedDoNotEatTheMemory) {
  std::string text = format_trace(livelock(1000));
  const auto times = text.find("\"times\":");
  ASSERT_NE(times, std::string::npos);
  text.insert(times + 8, "99999999999");
  EXPECT_NE(parse_trace(text, "t").error.find("nothing to repeat so often"), std::string::npos);
  text = format_trace(livelock(1000));
  const auto count = text.find("\"count\":");
  ASSERT_NE(count, std::string::npos);
  text.insert(count + 8, "9999");
  EXPECT_NE(parse_trace(text, "t").error.find("the plan"), std::string::npos);
}

// Each step has its own copy of its call stack, so a few lines can ask for more than any machine has.
TEST(TraceFile, AFewLinesDoNotEatTheMemory) {
  const std::string whole = format_trace(livelock(1000));
  std::string text = whole;
  const auto times = text.find("\"times\":");
  text.replace(times + 8, text.find_first_of(",}", times) - times - 8, "4000000");
  EXPECT_NE(parse_trace(text, "t").error.find("more than 512 MB"), std::string::npos) << parse_trace(text, "t").error;
  std::string sites;
  for (int i = 0; i < 100'000; ++i) sites += ",\"queue_test+0x1\"";
  text = whole;
  for (std::size_t at = 0; (at = text.find("\"sites\":[", at)) != std::string::npos; ++at)
    text.insert(text.find(']', at), sites);
  EXPECT_NE(parse_trace(text, "t").error.find("more than 512 MB"), std::string::npos) << parse_trace(text, "t").error;
}

TEST(TraceFile, EveryTruncationIsNoticed) {
  const std::string text = format_trace(example());
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    ASSERT_FALSE(parse_trace(text.substr(0, length), "t").trace) << length;
  EXPECT_NE(parse_trace(text.substr(0, text.size() - 50), "t").error.find("cut off"), std::string::npos);
}

TEST(TraceFile, EveryMissingLineIsNoticed) {
  const std::string text = format_trace(example());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const ReadTrace read = parse_trace(text.substr(0, begin) + text.substr(end), "t");
    EXPECT_FALSE(read.trace) << begin;
    EXPECT_FALSE(read.error.empty());
    begin = end;
  }
}

// Any byte changed anywhere gives a trace or a reason, never a crash.
TEST(TraceFile, ChangedBytesNeverCrash) {
  const std::string text = format_trace(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] == '9' ? '0' : changed[i] + 1);
    const ReadTrace read = parse_trace(changed, "t");
    EXPECT_NE(read.trace.has_value(), !read.error.empty());
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(TraceFile, AnotherFormatNamesBoth) {
  const std::string text = replaced(format_trace(example()), "\"heddle_trace\":1", "\"heddle_trace\":9");
  const ReadTrace read = parse_trace(text, "t.trace");
  EXPECT_FALSE(read.trace);
  EXPECT_NE(read.error.find("format 9"), std::string::npos) << read.error;
  EXPECT_NE(read.error.find("reads format 1"), std::string::npos) << read.error;
}

TEST(TraceFile, UnknownOperationIsNamedWithItsLine) {
  const std::string text = replaced(format_trace(example()), "\"mutex lock\"", "\"mutex lick\"");
  const ReadTrace read = parse_trace(text, "t.trace");
  EXPECT_NE(read.error.find("mutex lick"), std::string::npos) << read.error;
  EXPECT_EQ(read.error.find("t.trace:"), 0u) << read.error;
}

TEST(TraceFile, NumbersThatDoNotFitAreRefused) {
  const std::string text = replaced(format_trace(example()), "\"schedule\":4711", "\"schedule\":-1");
  EXPECT_NE(parse_trace(text, "t").error.find("\"schedule\""), std::string::npos);
  const std::string big = replaced(format_trace(example()), "\"step\":2,\"task\":1", "\"step\":2,\"task\":65536");
  EXPECT_NE(parse_trace(big, "t").error.find("\"task\""), std::string::npos);
}

TEST(TraceFile, SomethingElseIsNoTrace) {
  EXPECT_NE(parse_trace("", "t").error.find("empty"), std::string::npos);
  EXPECT_NE(parse_trace("{\"a\":1}\n", "t").error.find("no Heddle trace"), std::string::npos);
  EXPECT_FALSE(parse_trace("\x7f"
                           "ELF\n\n",
                           "t")
                   .trace);
  EXPECT_NE(read_trace("/nowhere/t.trace").error.find("/nowhere/t.trace"), std::string::npos);
  EXPECT_FALSE(read_trace("/tmp").trace);
}

TEST(TraceFile, OnDisk) {
  const auto folder = std::filesystem::temp_directory_path() / ("trace_file_test." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "bug-1.trace").string();
  EXPECT_EQ(write_trace(path, example()), "");
  EXPECT_TRUE(read_trace(path).trace);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a temporary file was left";
  std::filesystem::remove_all(folder);
}

TEST(TraceFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_NE(write_trace("/nowhere/bug-1.trace", example()).find("/nowhere/bug-1.trace"), std::string::npos);
}

// A limit on file sizes stands for a full disk: the write fails half-way.
TEST(TraceFile, AFullDiskIsAnErrorAndLeavesNothing) {
  const std::string path = ::testing::TempDir() + "full_disk." + std::to_string(getpid());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = write_trace(path, example());
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  EXPECT_NE(error.find(path), std::string::npos) << error;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TraceFile, EnvironmentThatMatters) {
  const char* const environment[] = {"HOME=/root", "TZ=UTC", "ASAN_OPTIONS=a=b", "GTEST_FILTER=*", "odd", nullptr};
  const std::vector<NamedText> expected{{"ASAN_OPTIONS", "a=b"}, {"GTEST_FILTER", "*"}, {"TZ", "UTC"}};
  EXPECT_EQ(environment_that_matters(environment), expected);
}

}  // namespace
}  // namespace heddle
