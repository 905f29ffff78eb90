// What test frameworks print; see test_frameworks.h. One section per framework, in the order of the table at the end.
#include "analysis/test_frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/lines.h"

namespace heddle {
namespace {

using Lines = TestFramework::Lines;
constexpr std::string_view kRun = "[ RUN      ] ";
constexpr std::string_view kFailed = "[  FAILED  ] ";
constexpr std::string_view kDigits = "0123456789";

// The number between two texts in a line: 2 of "Running 2 tests" with "Running " and " test".
std::optional<unsigned> number_between(std::string_view line, std::string_view before, std::string_view after) {
  const auto at = line.find(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));  // some align their numbers
  unsigned count = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
  if (error != std::errc{} || !starts_with(line.substr(static_cast<std::size_t>(end - line.data())), after)) return {};
  return count;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_place(std::string_view text) {
  const bool in_brackets = ends_with(text, ")");
  if (in_brackets) text.remove_suffix(1);
  const auto separator = text.find_last_of(in_brackets ? '(' : ':');
  return separator != std::string_view::npos && separator > 0 && all_digits(text.substr(separator + 1));
}

// What stands before `separator` in a line, if it is a place in the source: "queue.cpp:12" or "queue.cpp(12)".
std::string_view place_before(std::string_view line, std::string_view separator) {
  const auto at = line.find(separator);
  return at != std::string_view::npos && is_place(line.substr(0, at)) ? line.substr(0, at) : std::string_view{};
}

bool ruled(std::string_view line, char character) {
  return line.size() >= 60 && line.find_first_not_of(character) == std::string_view::npos;
}

// The first line from `first` on that ends a paragraph or is not `inside`.
template <typename Inside>
std::size_t end_of_paragraph(const Lines& lines, std::size_t first, Inside inside) {
  while (first < lines.size() && !trimmed(lines[first]).empty() && inside(lines[first])) ++first;
  return first;
}

// "queue.cpp:12" of "queue.cpp(12)" and "queue.cpp:12: FAILED:"; empty where a failure is known by something else.
std::string place_of(std::string_view identity) {
  std::string_view place = identity.substr(0, identity.find(": "));
  if (!is_place(place)) return {};
  if (!ends_with(place, ")")) return std::string(place);
  const auto bracket = place.find_last_of('(');
  return fmt::format("{}:{}", place.substr(0, bracket), place.substr(bracket + 1, place.size() - bracket - 2));
}

Printed failure(const Lines& lines, std::size_t first, std::size_t last, std::string_view identity) {
  return {OutcomeKind::Assertion, quoted(lines, first, last), std::string(identity), place_of(identity)};
}

// doctest: "path:12: ERROR: CHECK( … ) is NOT correct!" and the values, below a rule and the name of the test.
std::string_view doctest_place(std::string_view line) {
  const std::string_view place = place_before(line, ": ERROR: ");
  return place.empty() ? place_before(line, ": FATAL ERROR: ") : place;
}

std::optional<Printed> doctest_failure(const Lines& lines) {
  const auto own = [](std::string_view line) { return starts_with(line, "[doctest] "); };
  if (std::none_of(lines.begin(), lines.end(), own)) return {};
  bool in_test = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    in_test = in_test || ruled(lines[i], '=');  // what comes before is the program's own
    if (!in_test || doctest_place(lines[i]).empty()) continue;
    const auto last = end_of_paragraph(lines, i + 1, [](std::string_view line) { return doctest_place(line).empty(); });
    return failure(lines, i, last, doctest_place(lines[i]));
  }
  return {};
}

std::optional<unsigned> doctest_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if (const auto count = number_between(line, "[doctest] test cases:", " |")) return count;
  return {};
}

// Boost.Test: "path(12): error: in "suite/case": check … has failed [1 != 2]".
constexpr std::string_view kBoostError = ": error: in \"";
constexpr std::string_view kBoostFatalError = ": fatal error: in \"";

bool heads_boost_failure(std::string_view line) {
  return contains(line, kBoostError) || contains(line, kBoostFatalError);
}

// A signal that Boost.Test caught.
bool boost_crash(std::string_view line) {
  return contains(line, "\": memory access violation") || contains(line, "\": signal: ");
}

// Of an exception or a signal no place is known, but which assertion was passed last.
std::string boost_identity(const Lines& lines, std::size_t first, std::size_t last) {
  const auto name = lines[first].find("in \"");
  const auto name_end = lines[first].find("\": ", name);
  std::string identity(lines[first].substr(name, name_end - name));
  identity += "\" ";
  for (std::size_t i = first; i < last; ++i) identity += place_before(lines[i], ": last checkpoint");
  return identity;
}

std::optional<unsigned> boost_selected(const Lines& lines) {
  for (const std::string_view line : lines) {
    if (starts_with(line, "Running ") && ends_with(line, "..."))
      if (const auto count = number_between(line, "Running ", " test case")) return count;
    if (starts_with(line, "Test setup error: no test cases matching filter")) return 0;
  }
  return {};
}

std::optional<Printed> boost_failure(const Lines& lines) {
  if (!boost_selected(lines)) return {};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!heads_boost_failure(lines[i])) continue;
    std::string_view place = place_before(lines[i], kBoostError);
    if (place.empty()) place = place_before(lines[i], kBoostFatalError);
    if (place.empty()) continue;
    const auto last = end_of_paragraph(
        lines, i + 1, [](std::string_view line) { return !heads_boost_failure(line) && !starts_with(line, "*** "); });
    const bool placeless = starts_with(place, "unknown location");
    Printed result = failure(lines, i, last, placeless ? boost_identity(lines, i, last) : std::string(place));
    if (placeless) result.place.clear();
    if (boost_crash(lines[i])) result.kind = OutcomeKind::Crash;
    return result;
  }
  return {};
}

// CppUTest: "path:12: error: Failure in TEST(Group, name)"; a failure in a helper has its own place in the next line.
std::optional<Printed> cpputest_failure(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view place = place_before(lines[i], ": error: Failure in ");
    if (place.empty() || !contains(lines[i], "TEST(")) continue;
    const auto last = end_of_paragraph(lines, i + 1, [](std::string_view) { return true; });
    if (last > i + 1 && ends_with(trimmed(lines[i + 1]), ": error:")) place = place_before(lines[i + 1], ": error:");
    return failure(lines, i, last, place);
  }
  return {};
}

std::optional<unsigned> cpputest_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if ((starts_with(line, "OK (") || starts_with(line, "Errors (")) && contains(line, " filtered out, "))
      if (const auto count = number_between(line, " tests, ", " ran, ")) return count;
  return {};
}

// CppUnit: "1) test: Suite::name (F) line: 12 path" below "!!!FAILURES!!!"; its CompilerOutputter writes
// "path:12:Assertion" and "Test name: Suite::name".
std::string cppunit_identity(std::string_view line) {
  constexpr std::string_view kLine = " line: ";
  const auto at = line.find(kLine);
  if (at == std::string_view::npos) return std::string(trimmed(line.substr(line.find(' '))));
  const std::string_view place = trimmed(line.substr(at + kLine.size()));  // "12 path"
  const auto space = place.find(' ');
  return space == std::string_view::npos ? std::string(place)
                                         : fmt::format("{}:{}", place.substr(space + 1), place.substr(0, space));
}

std::string compiler_identity(std::string_view line, std::string_view name) {
  if (starts_with(line, "##Failure Location unknown##")) return std::string(name);
  return std::string(place_before(line, ends_with(line, ":Error") ? ":Error" : ":Assertion"));
}

bool heads_cppunit_failure(std::string_view line) {
  const auto bracket = line.find(") test: ");
  return bracket != std::string_view::npos && all_digits(line.substr(0, bracket));
}

// Poco's CppUnit: " 1: Suite.name", the text of the assertion or the exception, and 'in "path", line 12'.
std::string poco_identity(std::string_view head, std::string_view text, std::string_view place) {
  constexpr std::string_view kIn = "in \"", kLine = "\", line ";
  head = trimmed(head), place = trimmed(place);
  const auto line = place.find(kLine);
  if (!all_digits(head.substr(0, head.find(": "))) || !starts_with(place, kIn) || line == std::string_view::npos)
    return {};
  const std::string_view number = place.substr(line + kLine.size());
  if (!all_digits(number)) return std::string(trimmed(text));  // an exception: "<unknown>", line -1
  return fmt::format("{}:{}", place.substr(kIn.size(), line - kIn.size()), number);
}

std::optional<Printed> cppunit_failure(const Lines& lines) {
  bool ours = false;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    ours = ours || trimmed(lines[i]) == "!!!FAILURES!!!";
    std::string identity;
    if (ours && i + 2 < lines.size()) identity = poco_identity(lines[i], lines[i + 1], lines[i + 2]);
    if (ours && heads_cppunit_failure(lines[i])) identity = cppunit_identity(lines[i]);
    if (starts_with(lines[i + 1], "Test name: ")) identity = compiler_identity(lines[i], lines[i + 1]);
    if (identity.empty()) continue;
    return failure(lines, i, end_of_paragraph(lines, i + 1, [](std::string_view) { return true; }), identity);
  }
  return {};
}

std::optional<unsigned> cppunit_selected(const Lines& lines) {
  for (const std::string_view line : lines) {
    const auto passed = number_between(line, "OK (", " tests)");
    if (passed && starts_with(line, "OK (") && ends_with(trimmed(line), " tests)")) return passed;
    if (starts_with(line, "Run: "))
      if (const auto count = number_between(line, "Run: ", "   Failures: ")) return count;
  }
  return {};
}

// cmocka: "[  ERROR   ] --- …", "[   LINE   ] --- path:12: error: Failure!", "[  FAILED  ] name".
std::optional<Printed> cmocka_failure(const Lines& lines) {
  constexpr std::string_view kLine = "[   LINE   ] --- ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!starts_with(lines[i], "[  ERROR   ] --- ")) continue;
    std::string_view identity = lines[i];
    std::size_t last = i;
    for (; last < lines.size() && !starts_with(lines[last], kRun) && !starts_with(lines[last], kFailed); ++last) {
      const auto at = lines[last].find(kLine);
      if (at != std::string_view::npos) identity = place_before(lines[last].substr(at + kLine.size()), ": error: ");
    }
    const bool named = last < lines.size() && starts_with(lines[last], kFailed);
    const bool told = i > 0 && starts_with(lines[i - 1], "ERROR: ");  // by fail_msg()
    Printed result = failure(lines, told ? i - 1 : i, named ? last + 1 : last, identity);
    // A signal that it caught; which test it was makes the difference.
    if (contains(lines[i], "Test failed with exception: ")) {
      result.kind = OutcomeKind::Crash;
      if (named) result.identity += lines[last];
    }
    return result;
  }
  return {};
}

std::optional<unsigned> cmocka_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if (starts_with(line, "[==========] "))
      if (const auto count = number_between(line, "Running ", " test(s).")) return count;
  return {};
}

// acutest: "Test name...  [ FAILED ]", then "  path:12: Check … failed" and what else there is to it.
std::optional<Printed> acutest_failure(const Lines& lines) {
  const auto heads_test = [](std::string_view line) {
    return starts_with(line, "Test ") && contains(line, "...") && ends_with(trimmed(line), "[ FAILED ]");
  };
  const auto inside_test = [](std::string_view line) { return starts_with(line, " "); };
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (!heads_test(lines[i])) continue;
    const std::string_view place = place_before(trimmed(lines[i + 1]), ": ");
    const auto last = end_of_paragraph(lines, i + 1, inside_test);
    return failure(lines, i, last, place.empty() ? lines[i] : place);
  }
  return {};
}

std::optional<unsigned> acutest_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if (starts_with(line, "FAILED: ") && contains(line, " unit tests "))
      if (const auto count = number_between(line, " of ", " unit tests ")) return count;
  return {};
}

// check: "path:12:F:case:test:0: text" below "50%: Checks: 2, Failures: 1, Errors: 0".
std::optional<unsigned> check_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if (const auto count = number_between(line, "%: Checks: ", ", Failures: ")) return count;
  return {};
}

std::optional<Printed> check_failure(const Lines& lines) {
  if (!check_selected(lines)) return {};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view place = place_before(lines[i], ":F:");
    if (place.empty()) place = place_before(lines[i], ":E:");
    if (!place.empty()) return failure(lines, i, i + 1, place);
  }
  return {};
}

// Catch2 (v2 and v3): "path:12: FAILED:" then the expression, until an empty line and a rule or the next failure.
std::optional<Printed> catch_failure(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!ends_with(trimmed(lines[i]), ": FAILED:")) continue;
    std::size_t last = i + 1;
    while (last < lines.size() && !ruled(lines[last], '=') && !ruled(lines[last], '-') &&
           !ends_with(trimmed(lines[last]), ": FAILED:"))
      ++last;
    return failure(lines, i, last, lines[i]);
  }
  return {};
}

std::optional<unsigned> catch_selected(const Lines& lines) {
  bool none = false;
  for (const std::string_view line : lines) {
    if (starts_with(line, "All tests passed ("))
      if (const auto count = number_between(line, " in ", " test case")) return count;
    if (starts_with(line, "test cases: "))
      if (const auto count = number_between(line, "test cases: ", " |")) return count;
    none = none || starts_with(line, "No tests ran") || starts_with(line, "No test cases matched");
  }
  return none ? std::optional(0u) : std::nullopt;
}

// GoogleTest: "path:12: Failure" heads a failure.
bool heads_google_failure(std::string_view line) { return ends_with(line, ": Failure"); }

// A line of GoogleTest's own, which ends a failure's text.
bool google_mark(std::string_view line) {
  return starts_with(line, "[  ") || starts_with(line, "[--") || starts_with(line, "[==") || starts_with(line, "[ R");
}

// The test that was running before the line with this number; empty when none was.
std::string_view test_running_at(const Lines& lines, std::size_t before) {
  while (before-- > 0) {
    if (starts_with(lines[before], "[       OK ] ") || starts_with(lines[before], kFailed) ||
        starts_with(lines[before], "[  SKIPPED ] "))
      return {};
    if (starts_with(lines[before], kRun)) return trimmed(lines[before].substr(kRun.size()));
  }
  return {};
}

std::optional<Printed> google_failure_at(const Lines& lines, std::size_t at) {
  const auto last = end_of_paragraph(
      lines, at + 1, [](std::string_view line) { return !google_mark(line) && !heads_google_failure(line); });
  // What was thrown has no place in the source.
  const bool placeless = starts_with(lines[at], "unknown file");
  return failure(lines, at, last,
                 placeless ? fmt::format("{} in {}", lines[at], test_running_at(lines, at)) : std::string(lines[at]));
}

std::optional<Printed> google_failure(const Lines& lines) {
  bool ours = false;
  for (const std::string_view line : lines) ours = ours || starts_with(line, kRun) || starts_with(line, kFailed);
  if (!ours) return {};
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (heads_google_failure(lines[i])) return google_failure_at(lines, i);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (starts_with(lines[i], kFailed)) return failure(lines, i, i + 1, lines[i]);
  return {};
}

// "[==========] Running 2 tests from 1 test suite."; older versions say "test case". cmocka says "2 test(s)".
std::optional<unsigned> google_selected(const Lines& lines) {
  for (const std::string_view line : lines) {
    const auto head = line.find("[==========] Running ");
    if (head == std::string_view::npos || !contains(line.substr(head), " from ")) continue;
    if (const auto count = number_between(line.substr(head), "Running ", " test")) return count;
  }
  return {};
}

// unittest of Python: a line of "=", "FAIL: name (module.Case.name)", a line of "-", a traceback. What is called an
// ERROR is another exception than a failed assertion.
std::optional<Printed> unittest_failure(const Lines& lines) {
  constexpr std::string_view kUncaught = "uncaught exception of type ";
  for (std::size_t i = 0; i + 2 < lines.size(); ++i) {
    const bool fails = starts_with(lines[i + 1], "FAIL: ");
    if (!ruled(lines[i], '=') || !ruled(lines[i + 2], '-') || !(fails || starts_with(lines[i + 1], "ERROR: ")))
      continue;
    std::string text;
    for (std::size_t at = i + 3; at < lines.size() && !ruled(lines[at], '-') && !ruled(lines[at], '='); ++at)
      text.append(lines[at]) += '\n';
    Printed result{fails ? OutcomeKind::Assertion : OutcomeKind::Exception, std::string(lines[i + 1]),
                   std::string(lines[i + 1])};
    if (const auto raised = printed_traceback(text)) {
      result.message += ": " + raised->message.substr(kUncaught.size());
      result.place = raised->place;
    }
    return result;
  }
  return {};
}

// "Ran 2 tests in 0.001s"
std::optional<unsigned> unittest_selected(const Lines& lines) {
  for (const std::string_view line : lines)
    if (starts_with(line, "Ran ") && contains(line, " in "))
      if (const auto count = number_between(line, "Ran ", " test")) return count;
  return {};
}

// Rust's own (libtest): "---- queue::drains stdout ----", and the panic below.
std::optional<Printed> libtest_failure(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!starts_with(lines[i], "---- ") || !ends_with(lines[i], " stdout ----")) continue;
    std::string rest;
    for (std::size_t at = i + 1; at < lines.size(); ++at) rest.append(lines[at]) += '\n';
    return printed_panic(rest);
  }
  return {};
}

// "test result: ok. 2 passed; 0 failed; 1 ignored; …": those that ran. No other framework begins so.
std::optional<unsigned> libtest_selected(const Lines& lines) {
  for (const std::string_view line : lines) {
    if (!starts_with(line, "test result: ")) continue;
    const auto passed = number_between(line, ". ", " passed"), failed = number_between(line, "; ", " failed");
    if (passed && failed) return *passed + *failed;
  }
  return {};
}

// cmocka comes before GoogleTest, whose marks it shares.
constexpr TestFramework kFrameworks[] = {
    {.name = "doctest",
     .failure = doctest_failure,
     .selected = doctest_selected,
     .exception = "doctest::detail::TestFailureException",
     .choice = "-tc=NAME",
     .chooses = "-tc= --test-case=",
     .listing = "--list-test-cases"},
    {.name = "Boost.Test",
     .failure = boost_failure,
     .selected = boost_selected,
     .exception = "boost::execution_aborted",
     .choice = "--run_test=SUITE/CASE",
     .chooses = "--run_test= -t=",
     .listing = "--list_content"},
    {.name = "CppUTest",
     .failure = cpputest_failure,
     .selected = cpputest_selected,
     .exception = "CppUTestFailedException",
     .choice = "-sg GROUP -sn NAME",
     .listing = "-ln"},
    {.name = "CppUnit", .failure = cppunit_failure, .selected = cppunit_selected},
    {.name = "cmocka", .failure = cmocka_failure, .selected = cmocka_selected},
    {.name = "acutest",
     .failure = acutest_failure,
     .selected = acutest_selected,
     .choice = "--no-exec NAME",
     .listing = "--list"},
    {.name = "check",
     .failure = check_failure,
     .selected = check_selected,
     .environment = "CK_FORK=no CK_RUN_CASE=CASE"},
    {.name = "unittest",
     .failure = unittest_failure,
     .selected = unittest_selected,
     .choice = "-k NAME",
     .chooses = "-k"},
    {.name = "libtest",
     .failure = libtest_failure,
     .selected = libtest_selected,
     .choice = "--exact NAME --test-threads=1",
     .chooses = "--exact",
     .listing = "--list"},
    {.name = "Catch2",
     .failure = catch_failure,
     .selected = catch_selected,
     .exception = "Catch::TestFailureException",
     .choice = "NAME",
     .listing = "--list-tests"},
    {.name = "GoogleTest",
     .failure = google_failure,
     .selected = google_selected,
     .choice = "--gtest_filter=SUITE.TEST",
     .chooses = "--gtest_filter=",
     .listing = "--gtest_list_tests"},
};

}  // namespace

std::optional<SelectedTests> selected_tests(std::string_view output) {
  const std::string plain = without_colors(output);
  const auto lines = lines_of(plain);
  for (const TestFramework& framework : kFrameworks)
    if (const auto count = framework.selected(lines)) return SelectedTests{&framework, *count};
  return {};
}

std::optional<Printed> printed_test_failure(std::string_view output) {
  const std::string plain = without_colors(output);
  const auto lines = lines_of(plain);
  for (const TestFramework& framework : kFrameworks)
    if (auto found = framework.failure(lines)) return found;
  return {};
}

std::optional<Printed> printed_test_abort(std::string_view output) {
  const auto exception = printed_exception(output);
  for (const TestFramework& framework : kFrameworks)
    if (exception && *framework.exception != '\0' && exception->identity == framework.exception)
      return printed_test_failure(output);
  return {};
}

std::optional<unsigned> google_tests_selected(std::string_view output) {
  const std::string plain = without_colors(output);
  return google_selected(lines_of(plain));
}

std::string failed_google_test(std::string_view output) {
  return google_tests_selected(output).value_or(0) < 2 ? std::string() : google_test_at_failure(output);
}

std::string google_test_at_failure(std::string_view output) {
  const std::string plain = without_colors(output);
  const auto lines = lines_of(plain);
  std::size_t at = 0;
  while (at < lines.size() && !heads_google_failure(lines[at])) ++at;
  return std::string(test_running_at(lines, at));
}

}  // namespace heddle
