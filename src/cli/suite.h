// Runs each test of a program by itself: a `heddle run` for each, several side by side. First all get a short time;
// what is left of the time goes to those that have shown no bug and are not through with their schedules.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/test_lists.h"

namespace heddle::cli {

enum class TestVerdict {
  Bug,
  Timing,     // a bug that needs only time, which is no failure (--timing-bugs)
  Known,      // bugs of which --baseline knows all, which is no failure
  Proved,     // every schedule was run, or is equivalent to one that was
  Bound,      // the same up to a bound
  NotProved,  // no bug among the schedules that were run
  NoVerdict,  // no schedule says anything: `reason`
  NoThreads,  // it creates no thread: there is nothing to explore
  Failed,     // it can't be run: `reason`
  NotRun,     // there was no time, or the user interrupted it
};

// The word for it in texts and in JSON: "bug", "ok" …
const char* name(TestVerdict verdict);

struct TestResult {
  ListedTest test;
  TestVerdict verdict = TestVerdict::NotRun;
  std::string reason;
  nlohmann::json report;  // as of heddle run --json; null: there is none
  std::string folder;     // where its bugs are kept

  std::uint64_t schedules() const { return report.is_null() ? 0 : report.value("schedules", std::uint64_t{0}); }
  double seconds() const { return report.is_null() ? 0 : report.value("seconds", 0.0); }
};

// It failed, but perhaps only because a wait ended early or a thread was slow.
bool may_need_only_time(const TestResult& result);

// It may find something, or decide something, if it gets more time.
bool has_more(const TestResult& result, TimingBugs timing_bugs);

class Suite {
 public:
  // `folder` is there already; each test gets one in it. What is printed is a line for each test as it ends.
  Suite(const Settings& settings, std::string folder, std::vector<ListedTest> tests, Terminal& terminal);
  const std::vector<TestResult>& run();

 private:
  struct Running;
  void run_all(const std::vector<std::size_t>& tests, double seconds_each, bool goes_on);
  Running start(std::size_t test, double seconds, bool goes_on) const;
  double seconds_left() const { return settings_.seconds_left() - overrun_s_; }
  void take(const Running& ended, int status);
  void tell(const TestResult& result, bool goes_on);

  const Settings& settings_;
  std::string folder_;
  Terminal& terminal_;
  std::vector<std::string> options_;  // that each run gets
  std::vector<TestResult> results_;
  std::size_t name_width_ = 0;
  double overrun_s_ = 0;  // by so much a run has come later than it was to, at most
};

// "every schedule was run, or is equivalent to one that was", the same of those with at most 2 preemptions, or "nothing
// was proved".
std::string what_was_proved(const TestResult& result);

}  // namespace heddle::cli
