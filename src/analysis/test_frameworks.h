// The test frameworks of C and C++ that Heddle knows: what they print about failures and about the number of tests that
// they ran, and how to choose one test of a program. To add a framework, add its row to the table in
// test_frameworks.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/printed.h"

namespace heddle {

struct TestFramework {
  using Lines = std::vector<std::string_view>;  // of a program's output, without colours

  const char* name;
  // The first failure that it reports.
  std::optional<Printed> (*failure)(const Lines& lines);
  // How many tests it said it would run, or had run; nothing when the output is not its own.
  std::optional<unsigned> (*selected)(const Lines& lines);
  // The exception by which it ends a test: nobody catches it where an assertion fails in a thread of the test. Empty:
  // none.
  const char* exception = "";
  // One test alone: NAME=VALUE before the command, and words after it. Both are empty where there is no way.
  const char* environment = "";
  const char* choice = "";
  // What shows that the command chooses tests by itself: the beginnings of such words, with spaces between them.
  const char* chooses = "";
  const char* listing = "";  // what makes the program list its tests; empty where nothing does
};

// A framework that was at work, and its number of tests.
struct SelectedTests {
  const TestFramework* framework;
  unsigned count;
};
std::optional<SelectedTests> selected_tests(std::string_view output);

// The first failure that a test framework reports.
std::optional<Printed> printed_test_failure(std::string_view output);

// The same where an assertion failed in a thread of the test's, and so ended the program by an uncaught exception.
std::optional<Printed> printed_test_abort(std::string_view output);

// How many tests a GoogleTest program said it would run; nothing when it is not one.
std::optional<unsigned> google_tests_selected(std::string_view output);
// Of several GoogleTest tests, the one that failed first, or that was running when the output ended: "Queue.Drains".
// Empty when there is none.
std::string failed_google_test(std::string_view output);
// The same, also where there was one test only.
std::string google_test_at_failure(std::string_view output);

}  // namespace heddle
