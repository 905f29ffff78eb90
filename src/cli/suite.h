// Runs each test of a program by itself: a `heddle run` for each, several side by side. First all get a short time;
// what is left of the time goes to those that have shown no bug and are not through with their schedules.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/suite_results.h"
#include "trace/trace_file.h"

namespace heddle::cli {

class Suite {
 public:
  // `folder` is there already; each test gets one in it. What is printed is a line for each test as it ends.
  Suite(const Settings& settings, const std::string& folder, std::vector<ListedTest> tests, Terminal& terminal);
  const std::vector<TestResult>& run();

 private:
  struct Running;
  void run_all(const std::vector<std::size_t>& tests, double seconds_each, bool goes_on);
  Running start(std::size_t test, double seconds, bool goes_on) const;
  double seconds_left() const { return settings_.seconds_left() - overrun_s_; }
  void take(const Running& ended, int status);

  const Settings& settings_;
  Terminal& terminal_;
  std::vector<std::string> options_;  // that each run gets
  SuiteResults results_;
  double overrun_s_ = 0;  // by so much a run has come later than it was to, at most
};

// Is it handed on to the run of each test? Others say what the suite itself does, which files it writes among that.
bool is_for_tests(const Option& option);
// What a suite was given for the run of each test: options and their values.
std::vector<NamedText> options_for_tests(const Settings& settings);
// As they are written on a command line.
std::vector<std::string> words_of(const std::vector<NamedText>& options);

// What a run printed last to this file, without "heddle: ".
std::string last_line_of(const std::string& path);

}  // namespace heddle::cli
