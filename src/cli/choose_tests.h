// Which tests a suite is to run, from its command line.
#pragma once

#include <variant>

#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/test_lists.h"
#include "driver/target/target.h"

namespace heddle::cli {

struct ChosenTests {
  Target target;
  TestList list;  // at least one test
};

// Lists the tests of the program in `settings`, which then has the time and the workers of a suite, and a command
// without the filter that chose them. A status: the command ends with it, and it was said why.
std::variant<ChosenTests, ExitStatus> choose_tests(Settings& settings, Terminal& terminal);

inline constexpr double kTimeOfSuite_s = 600;  // where --time is not given

// "12 tests of GoogleTest, 10 min for all"
std::string note_on_suite(const TestList& list, double time_s);

}  // namespace heddle::cli
