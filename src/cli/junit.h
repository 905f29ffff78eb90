// The results of a suite as a JUnit XML report, as CI systems read it: a case per test, a bug as a failure with the
// head of its page, what has no threads or no time as skipped. A test with bugs that --baseline knows has passed.
#pragma once

#include <string>
#include <vector>

#include "cli/suite_results.h"

namespace heddle::cli {

// `suite`: the program's name. Well-formed whatever the program's texts hold.
std::string junit(const std::string& suite, const std::vector<TestResult>& results);

}  // namespace heddle::cli
