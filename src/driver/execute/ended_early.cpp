// See ended_early.h.
#include "driver/execute/ended_early.h"

#include <sys/wait.h>

#include "analysis/test_frameworks.h"
#include "driver/process/wait_status.h"

namespace heddle {
namespace {

constexpr std::size_t kShown = 4000;  // bytes of output, from the end
constexpr std::string_view kNoThreads = " without creating a thread: there is only one schedule";

std::string shown(const std::string& output) {
  if (output.empty()) return {};
  const bool all = output.size() <= kShown;
  return std::string(all ? "\nIt printed:\n" : "\nThe end of what it printed:\n") +
         (all ? output : output.substr(output.size() - kShown));
}

std::string explain_problem(const EndedBeforeBranching& event) {
  switch (event.problem) {
    case LaunchProblem::None:
      return {};
    case LaunchProblem::VersionMismatch:
      return "libheddle.so speaks version " + std::to_string(event.runtime_version) +
             " of the protocol and heddle version " + std::to_string(kProtocolVersion) +
             ": build or install both together";
    case LaunchProblem::StartNotReached:
      return "the program ended without calling the function given with --start-at";
  }
  return {};
}

// The rest of the line in which `words` stand, from them on; empty: they don't.
std::string line_with(const std::string& output, const std::string& words) {
  const std::size_t begin = output.find(words);
  return begin == std::string::npos ? std::string() : output.substr(begin, output.find('\n', begin + 1) - begin);
}

// The system's loader and Heddle's runtime end a program that they can't start with this status, and a line.
std::string explain_failed_start(const EndedBeforeBranching& event) {
  constexpr int kNotStarted = 127;
  if (!WIFEXITED(event.status) || WEXITSTATUS(event.status) != kNotStarted) return {};
  for (const char* words : {"error while loading shared libraries: ", "symbol lookup error: "})
    if (const std::string line = line_with(event.output, words); !line.empty())
      return "the program could not be started: " + line;
  const std::string own = "\nheddle: ";  // at the beginning of a line: a shell may have looked for heddle in vain
  const std::string line = line_with("\n" + event.output, own);
  return line.empty() ? line : "the program can't run under Heddle: " + line.substr(own.size());
}

std::string explain_quiet_end(const EndedBeforeBranching& event) {
  if (event.preloaded_processes == 0)
    return "the program " + describe_status(event.status) +
           " and never loaded libheddle.so: it (or what it starts) is static, or drops LD_PRELOAD";
  if (event.threads_in_child)
    return "the program " + describe_status(event.status) +
           " without creating a thread; a process that it forked created some: --follow-fork=child explores that one";
  if (event.threads_uncontrolled > 0)
    return "threads were created only in programs that were not under control: check the name given with --target";
  if (!event.target.empty())
    return "the program " + describe_status(event.status) + ", and no program named " + event.target +
           " created a thread meanwhile: check the name given with --target";
  if (std::string reason = no_test_ran(event.output); !reason.empty()) return reason;
  const std::string end = "the program " + describe_status(event.status);
  if (WIFSIGNALED(event.status)) return end + " before it created a thread; Heddle explores what comes after that";
  if (event.status != 0)
    return end +
           " before it created a thread: perhaps it failed, and its test did not run. If threads are created by "
           "another "
           "program that this one starts, name it with --target";
  return end + std::string(kNoThreads) +
         ". If threads are created by another program that this one starts, name it with --target";
}

}  // namespace

std::string explain(const EndedBeforeBranching& event) {
  if (std::string problem = explain_problem(event); !problem.empty()) return problem;
  if (!event.why.empty())
    return "the program did not come to create a thread; it was ended because " + event.why + shown(event.output);
  if (std::string failed = explain_failed_start(event); !failed.empty()) return failed;
  return explain_quiet_end(event) + shown(event.output);
}

// Behind the first line stands what the program printed.
bool is_without_threads(std::string_view reason) {
  return reason.substr(0, reason.find('\n')).find(kNoThreads) != std::string_view::npos;
}

std::string no_test_ran(std::string_view output) {
  const auto selected = selected_tests(output);
  if (!selected || selected->count != 0) return {};
  return std::string("no ") + selected->framework->name +
         " test was selected, so nothing was run: check the test's name";
}

}  // namespace heddle
