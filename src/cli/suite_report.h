// What is said and written when all tests of a suite have been run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/suite_results.h"

namespace heddle::cli {

// `parts` with what both a list of tests and their results begin with. `framework`: empty where --list names the tests.
std::string suite_json(const Settings& settings, const std::string& framework, nlohmann::json parts);

// With which status a command ends that has these results.
ExitStatus status_of_suite(const std::vector<TestResult>& results);

// Prints each bug and the totals, and writes the files that were asked for. `folder`: of the suite. Returns with which
// status the command ends.
ExitStatus conclude_suite(const Settings& settings, const std::string& framework, const std::string& folder,
                          const std::vector<TestResult>& results, Terminal& terminal);

}  // namespace heddle::cli
