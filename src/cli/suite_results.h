// What came of the tests of a suite, from the reports of their runs (report/json.h), whoever ran them (suite.h).
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

// How a run of a test has ended.
struct EndedTest {
  nlohmann::json report = {};   // null: it has written none
  int status = -1;              // with which it has ended; -1: it did not end by itself
  std::string why_failed = {};  // for where it can't be run
  bool goes_on = false;         // with what an earlier run of this test has left
};

// All results, each with its line on the terminal as it comes.
class SuiteResults {
 public:
  // `folder`: of the suite; each test gets one in it.
  SuiteResults(const Settings& settings, const std::string& folder, std::vector<ListedTest> tests, Terminal& terminal);

  // A run without a report leaves what an earlier one has brought.
  void take(std::size_t test, EndedTest ended);
  const std::vector<TestResult>& all() const { return results_; }
  // Those for which more time is worth while.
  std::vector<std::size_t> with_more() const;
  // How many have ended.
  std::size_t ended() const;

 private:
  void tell(const TestResult& result, bool goes_on);

  const Settings& settings_;
  Terminal& terminal_;
  std::vector<TestResult> results_;
  std::size_t name_width_ = 0;
};

// How long each test gets at first, in seconds, where so many run side by side.
double first_share_s(double all_s, double side_by_side, std::size_t tests);
inline constexpr double kWorthwhile_s = 0.5;  // less is not worth another start
// "3 tests had schedules left: 20 s more for each"
std::string note_on_more(std::size_t tests, double each_s);

// "every schedule was run, or is equivalent to one that was", the same of those with at most 2 preemptions, or "nothing
// was proved".
std::string what_was_proved(const TestResult& result);

}  // namespace heddle::cli
