// `heddle test`: explores each test of a program by itself.
#include "cli/choose_tests.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output_folder.h"
#include "cli/regression_store.h"
#include "cli/regressions.h"
#include "cli/suite.h"
#include "cli/suite_report.h"
#include "driver/process/interrupt.h"
#include "driver/target/program_name.h"

namespace heddle::cli {
namespace {

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

// What can't be read of it, and what none of the tests tries.
void tell_about_store(const Settings& settings, const Target& target, const TestList& list, Terminal& terminal) {
  const StoreContent content = RegressionStore::nearest().read();
  for (const std::string& problem : content.problems) terminal.message(problem);
  if (settings.quiet || settings.regressions == TryRegressions::No) return;
  std::vector<std::vector<std::string>> calls;
  for (const ListedTest& test : list.tests) {
    calls.push_back(settings.run.command);
    calls.back().insert(calls.back().end(), test.words.begin(), test.words.end());
  }
  const std::string note = note_on_others(content.bugs, target.path, calls, "tests");
  if (!note.empty()) terminal.message(note);
}

ExitStatus test(Settings& settings, Terminal& terminal) {
  if (settings.run.command.empty())
    return wrong_use(terminal, "no program was given: heddle test [options] [--] PROGRAM [ARGS…]");
  const InterruptGuard guard;
  auto chosen = choose_tests(settings, terminal);
  if (const auto* status = std::get_if<ExitStatus>(&chosen)) return *status;
  auto& [target, list] = std::get<ChosenTests>(chosen);
  OutputFolder folder(settings.run.output_directory, program_name(settings.run.command) + "-tests",
                      settings.output_root);
  if (const std::string error = folder.make(); !error.empty()) return wrong_use(terminal, error);
  if (!settings.quiet) terminal.message(note_on_suite(list, settings.run.time_s));
  tell_about_store(settings, target, list, terminal);
  Suite suite(settings, folder.path(), std::move(list.tests), terminal);
  return conclude_suite(settings, list.framework, folder.path(), suite.run(), terminal);
}

}  // namespace

const Command kTestCommand = {"test",
                              "[options] [--] PROGRAM [ARGS…]",
                              "explore each test of a program of GoogleTest, Catch2, doctest, Boost.Test or CppUTest",
                              For::Test,
                              true,
                              test};

}  // namespace heddle::cli
