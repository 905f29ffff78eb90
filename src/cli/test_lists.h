// The tests of a program, one by one: how a test framework lists them, and the words that choose one.
//
// To add a framework: a function that reads its list, and a row in the table in test_lists.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

struct ListedTest {
  std::string name;
  std::vector<std::string> words;  // behind the command, they choose this test
};

struct TestList {
  std::string framework;
  std::vector<ListedTest> tests;
  std::vector<std::string> disabled;  // names of tests that the framework leaves out
  std::string error;                  // why there are none
  std::string filter = {};            // empty, or how the user's filter begins, which a test's words overrule
};

// The framework that the file at `path` holds; empty: none that is known.
std::string framework_in(const std::string& path);

// `path`: the program's file, `command`: it with its arguments. The framework is known by what the file holds.
TestList tests_of_framework(const std::string& path, const std::vector<std::string>& command);

// Of any other program: `list` is a command for the shell that prints a name per line; `select` are words behind the
// program, in which {} stands for the name.
TestList tests_by_command(const std::string& list, const std::string& select);

// For tests: the names in what a framework prints. GoogleTest's are read by listed_tests() (several_tests.h).
std::vector<std::string> names_by_doctest(std::string_view listing);
std::vector<std::string> names_by_libtest(std::string_view listing);
std::vector<std::string> names_by_boost(std::string_view listing);
std::vector<std::string> names_by_cpputest(std::string_view listing);
std::vector<std::string> names_by_lines(std::string_view listing);

}  // namespace heddle::cli
