// See test_lists.h.
#include "cli/test_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "analysis/lines.h"
#include "cli/ask_program.h"
#include "cli/several_tests.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

std::string with_backslashes(const std::string& name, std::string_view before) {
  std::string result;
  for (const char c : name) {
    if (before.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

struct Lister {
  const char* framework;
  const char* mark;  // stands in the file of a program that uses it
  Words listing;     // makes it list its tests
  Streams streams;
  std::vector<std::string> (*names)(std::string_view listing);
  Words (*choice)(const std::string& name);
  std::vector<std::string> (*disabled)(std::string_view listing) = nullptr;
  const char* filter = "";
};

Words by_gtest(const std::string& name) { return {"--gtest_filter=" + name}; }
Words by_catch(const std::string& name) { return {with_backslashes(name, ",[\\\"~")}; }
Words by_doctest(const std::string& name) { return {"--test-case=" + with_backslashes(name, ",\\")}; }
Words by_boost(const std::string& name) { return {"--run_test=" + name}; }
Words by_libtest(const std::string& name) { return {"--exact", name, "--test-threads=1"}; }
Words by_cpputest(const std::string& name) {
  const auto dot = name.find('.');
  return {"-sg", name.substr(0, dot), "-sn", name.substr(dot + 1)};
}

// Two versions of Catch2 list in two ways; the wrong one is refused, with an error that names no test.
std::vector<std::string> names_by_catch(std::string_view listing) {
  return contains(listing, "Unrecognised token") ? std::vector<std::string>() : names_by_lines(listing);
}

const std::vector<Lister>& listers() {
  static const std::vector<Lister> all{
      {"GoogleTest",
       "InitGoogleTest",
       {"--gtest_list_tests"},
       Streams::Output,
       listed_tests,
       by_gtest,
       disabled_tests,
       "--gtest_filter="},
      {"doctest",
       "doctest7Context",
       {"--list-test-cases", "--no-colors"},
       Streams::Output,
       names_by_doctest,
       by_doctest},
      {"Boost.Test", "boost9unit_test", {"--list_content"}, Streams::OutputAndErrors, names_by_boost, by_boost},
      {"CppUTest", "CommandLineTestRunner", {"-ln"}, Streams::Output, names_by_cpputest, by_cpputest},
      {"libtest",
       "4test16test_main_static",
       {"--list", "--format", "terse"},
       Streams::Output,
       names_by_libtest,
       by_libtest},
      {"Catch2", "Catch7Session", {"--list-test-names-only"}, Streams::Output, names_by_catch, by_catch},
      {"Catch2", "Catch7Session", {"--list-tests", "--verbosity", "quiet"}, Streams::Output, names_by_catch, by_catch},
  };
  return all;
}

// What `python3 -m unittest` would run, a name per line.
constexpr const char* kListOfUnittest =
    "import sys, unittest\n"
    "def names(suite):\n"
    "    for test in suite:\n"
    "        yield from names(test) if isinstance(test, unittest.TestSuite) else [test.id()]\n"
    "class Lister:\n"
    "    def run(self, suite):\n"
    "        print(*names(suite), sep='\\n')\n"
    "        return unittest.TestResult()\n"
    "unittest.main(module=None, argv=['unittest'] + sys.argv[1:], testRunner=Lister(), exit=False)\n";

// Empty: `command` is not `python3 -m unittest …`. Else it with the list in the place of the run.
Words listing_of_unittest(const Words& command) {
  constexpr const char* kModule[] = {"-m", "unittest"};
  const auto module = std::search(command.begin(), command.end(), std::begin(kModule), std::end(kModule));
  if (module == command.end()) return {};
  Words words(command.begin(), module);
  words.insert(words.end(), {"-c", kListOfUnittest});
  words.insert(words.end(), module + 2, command.end());
  return words;
}

// A pattern matches the whole name if it has a star.
Words by_unittest(const std::string& name) { return {"-k", "*" + name}; }

TestList tests_of_unittest(const std::string& path, const Words& listing) {
  TestList result;
  result.framework = "unittest";
  for (std::string& name : names_by_lines(ask_program(path, listing, Streams::Output))) {
    if (starts_with(name, "unittest.loader._FailedTest.")) {
      result.error =
          fmt::format("unittest can't import a module of tests ({}); run {} -m unittest to see why", name, listing[0]);
      return result;
    }
    Words choice = by_unittest(name);
    result.tests.push_back({std::move(name), std::move(choice)});
  }
  if (result.tests.empty())
    result.error = fmt::format(
        "{} -m unittest finds no tests here; name a module or file of tests, or discover -s FOLDER", listing[0]);
  return result;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::vector<std::string> names_by_lines(std::string_view listing) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(listing))
    if (const std::string_view name = trimmed(line); !name.empty()) names.emplace_back(name);
  return names;
}

// Between two lines of "=", with remarks that begin with "[doctest]".
std::vector<std::string> names_by_doctest(std::string_view listing) {
  std::vector<std::string> names = names_by_lines(listing);
  std::erase_if(names,
                [](const std::string& name) { return starts_with(name, "[doctest]") || starts_with(name, "==="); });
  return names;
}

// "queue::drains: test", and "queue::speed: benchmark".
std::vector<std::string> names_by_libtest(std::string_view listing) {
  constexpr std::string_view kTest = ": test";
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(listing))
    if (line.ends_with(kTest)) names.emplace_back(line.substr(0, line.size() - kTest.size()));
  return names;
}

// A tree by indentation, in which "*" marks what is enabled; what has nothing below it is a test.
std::vector<std::string> names_by_boost(std::string_view listing) {
  struct Entry {
    std::size_t indent;
    std::string path;
    bool enabled;
  };
  std::vector<Entry> entries, parents;
  for (const std::string_view line : lines_of(listing)) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) continue;
    std::string_view name = trimmed(line.substr(0, line.find(": ")));  // a description may follow
    const bool enabled = ends_with(name, "*");
    if (enabled) name.remove_suffix(1);
    while (!parents.empty() && parents.back().indent >= indent) parents.pop_back();
    std::string path = parents.empty() ? std::string(name) : fmt::format("{}/{}", parents.back().path, name);
    entries.push_back({indent, std::move(path), enabled});
    parents.push_back(entries.back());
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_suite = i + 1 < entries.size() && entries[i + 1].indent > entries[i].indent;
    if (!is_suite && entries[i].enabled) names.push_back(entries[i].path);
  }
  return names;
}

// "Queue.drains Queue.stops", all in one line.
std::vector<std::string> names_by_cpputest(std::string_view listing) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(listing))
    for (std::string& word : split(line))
      if (word.find('.') != std::string::npos) names.push_back(std::move(word));
  return names;
}

// What a program that lists no tests says instead, on either stream.
std::string why_no_tests(const std::string& path, const Words& words, const std::string& framework) {
  constexpr std::size_t kMost = 4000;
  std::string printed = without_colors(ask_program(path, words, Streams::OutputAndErrors));
  if (printed.size() > kMost) printed = "…" + printed.substr(printed.size() - kMost);
  return fmt::format("{} lists no tests ({}): \"{}\" printed {}", words[0], framework, fmt::join(words, " "),
                     printed.empty() ? "nothing" : "this:\n" + printed);
}

std::string framework_in(const std::string& path) {
  const std::string contents = contents_of(path);
  const auto found = std::find_if(listers().begin(), listers().end(), [&](const Lister& lister) {
    return contents.find(lister.mark) != std::string::npos;
  });
  return found == listers().end() ? std::string() : found->framework;
}

TestList tests_of_framework(const std::string& path, const std::vector<std::string>& command) {
  if (const Words listing = listing_of_unittest(command); !listing.empty()) return tests_of_unittest(path, listing);
  const std::string contents = contents_of(path);
  TestList result;
  Words words;
  for (const Lister& lister : listers()) {
    if (contents.find(lister.mark) == std::string::npos) continue;
    result.framework = lister.framework;
    result.filter = lister.filter;
    words = command;
    words.insert(words.end(), lister.listing.begin(), lister.listing.end());
    const std::string listing = without_colors(ask_program(path, words, lister.streams));
    if (lister.disabled != nullptr) result.disabled = lister.disabled(listing);
    for (std::string& name : lister.names(listing)) {
      Words choice = lister.choice(name);
      result.tests.push_back({std::move(name), std::move(choice)});
    }
    if (!result.tests.empty() || !result.disabled.empty()) return result;
  }
  result.error = result.framework.empty()
                     ? fmt::format(
                           "{} is no program of GoogleTest, Catch2, doctest, Boost.Test, CppUTest, Rust's libtest or "
                           "unittest (python3 -m unittest); say how it "
                           "lists its tests and runs one (--list=\"./prog --list\" --select=\"--only={{}}\"), or "
                           "explore it as one test: heddle run",
                           command[0])
                     : why_no_tests(path, words, result.framework);
  return result;
}

TestList tests_by_command(const std::string& list, const std::string& select) {
  TestList result;
  const std::string listing = ask_program("/bin/sh", {"sh", "-c", list}, Streams::Output);
  for (std::string& name : names_by_lines(listing)) {
    Words words = split(select);
    for (std::string& word : words)
      if (const auto at = word.find("{}"); at != std::string::npos) word.replace(at, 2, name);
    result.tests.push_back({std::move(name), std::move(words)});
  }
  if (result.tests.empty()) result.error = fmt::format("--list: \"{}\" printed no names", list);
  return result;
}

}  // namespace heddle::cli
