// See machine_check.h.
#include "cli/machine_check.h"

#include <fmt/format.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/lines.h"
#include "cli/ask_program.h"
#include "cli/command.h"
#include "driver/explore/explore.h"
#include "driver/process/cpu.h"
#include "driver/process/own_process.h"
#include "driver/process/scratch.h"
#include "driver/target/target.h"
#include "report/wording.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// It has few schedules that differ. They are all run within milliseconds.
void explore_small_program(Machine& machine) {
  constexpr double kMost_s = 5;
  RunOptions options;
  options.command = {own_executable(), kSmallProgramCommand.name};
  if (options.command.front().empty()) {
    machine.problem = "/proc is not there, by which Heddle finds its own files and the program's memory; mount it";
    return;
  }
  options.search = "bounded";
  options.time_s = options.execution_timeout_s = kMost_s;
  options.races = RaceMode::Ignore;
  options.workers = 1;
  options.output = OutputMode::None;
  const auto target = inspect_target(options);
  if (const auto* error = std::get_if<TargetError>(&target)) {
    machine.problem = error->message;
    return;
  }
  Observer nobody;
  const Report report = heddle::run(std::get<Target>(target), options, nobody);
  machine.schedules = report.schedules;
  machine.seconds = report.seconds_in_all;
  machine.why_no_snapshots = report.why_no_snapshots;
  machine.randomized = report.randomized;
  machine.switches_by_call = report.switches_by_call;
  if (!report.bugs.empty())
    machine.problem = "a small program that is right fails under Heddle: " + report.bugs.front().outcome.message;
  else if (report.verdict == Verdict::None)
    machine.problem = "a small program could not be explored: " + report.no_verdict_reason;
}

// To switch it off where it is off changes nothing; where it is not known, or forbidden, that fails.
bool sees_system_calls() { return prctl(PR_SET_SYSCALL_USER_DISPATCH, 0 /* PR_SYS_DISPATCH_OFF */, 0, 0, 0) == 0; }

void ask_compiler(Machine& machine) {
  const std::string path = (fs::path(own_executable()).parent_path() / "heddle-c++").string();
  const std::string answer = ask_program(path, {path, "--version"}, Streams::OutputAndErrors);
  const std::string first = answer.substr(0, answer.find('\n'));
  const bool works = contains(answer, "Free Software Foundation") || contains(answer, "clang version");
  if (works)
    machine.compiler = first;
  else
    machine.compiler_problem = first.empty() ? path + " can't be started" : first;
}

}  // namespace

Machine look_at_machine() {
  Machine machine;
  explore_small_program(machine);
  machine.sees_system_calls = sees_system_calls();
  machine.has_avx2 = __builtin_cpu_supports("avx2") != 0;
  machine.processors = usable_processors();
  machine.workers = default_workers();
  ask_compiler(machine);
  machine.has_gdb = !find_in_path("gdb").empty();
  const std::vector<std::string> folders = temporary_folders();
  machine.has_temporary_folder = std::any_of(folders.begin(), folders.end(), [](const std::string& folder) {
    return access(folder.c_str(), W_OK | X_OK) == 0;
  });
  machine.may_write_here = access(".", W_OK | X_OK) == 0;
  return machine;
}

namespace {

void add_isolation(const Machine& machine, Findings& all) {
  if (machine.why_no_snapshots.empty()) {
    all.push_back({FindingKind::Ok, fmt::format("explored a small program: {} in {}; memory is restored between them",
                                                counted(machine.schedules, "schedule"), duration(machine.seconds))});
    return;
  }
  all.push_back({FindingKind::Slow,
                 "each schedule is a process of its own (fork): " + machine.why_no_snapshots +
                     (machine.sees_system_calls ? ""
                                                : "; use such a kernel, or allow prctl() in the container (docker: "
                                                  "--security-opt seccomp=unconfined)")});
  if (!machine.sees_system_calls)
    all.push_back({FindingKind::Note,
                   "system calls that don't go through libc's functions are not seen, nor files that a program "
                   "changes: give --isolation=exec for a program that does so"});
}

void add_processor(const Machine& machine, Findings& all) {
  if (machine.switches_by_call)
    all.push_back({FindingKind::Slow,
                   "each switch between threads is a system call: FSGSBASE is not enabled (it takes Linux 5.9, a "
                   "processor of 2013 or later, and a hypervisor that shows it)"});
  if (!machine.has_avx2) all.push_back({FindingKind::Slow, "no AVX2: memory is restored in smaller steps"});
  if (machine.workers > 1)
    all.push_back({FindingKind::Ok, fmt::format("{} processors: schedules run on {} of them side by side (-j)",
                                                machine.processors, machine.workers)});
  else
    all.push_back({FindingKind::Slow,
                   machine.processors == 1
                       ? "one processor, which Heddle and the program share"
                       : fmt::format("of {} processors the control group allows one at a time", machine.processors)});
}

void add_tools(const Machine& machine, Findings& all) {
  if (!machine.compiler_problem.empty())
    all.push_back({FindingKind::Note, fmt::format("heddle-c++ does not work, so atomics and data races can't be seen: "
                                                  "\"{}\"; install g++, or name a compiler in HEDDLE_CXX",
                                                  machine.compiler_problem)});
  else
    all.push_back({FindingKind::Ok, fmt::format("heddle-c++ works, with {}", machine.compiler)});
  all.push_back(machine.has_gdb ? Finding{FindingKind::Ok, "gdb is there, for heddle debug"}
                                : Finding{FindingKind::Note, "heddle debug needs gdb: apt install gdb"});
}

void add_folders(const Machine& machine, Findings& all) {
  if (!machine.has_temporary_folder)
    all.push_back({FindingKind::Note,
                   "no folder for temporary files can be written, so programs that change files can't be explored: "
                   "name one in TMPDIR"});
  if (!machine.may_write_here)
    all.push_back({FindingKind::Note, "the present folder can't be written: name one for bugs with -o DIR"});
}

}  // namespace

Findings findings_of(const Machine& machine) {
  Findings all;
  if (!machine.problem.empty())
    all.push_back({FindingKind::Missing, machine.problem});
  else
    add_isolation(machine, all);
  if (machine.randomized)
    all.push_back({FindingKind::Note,
                   "addresses differ from process to process (the container forbids personality()): so may programs "
                   "that depend on them; docker: --security-opt seccomp=unconfined"});
  add_processor(machine, all);
  add_tools(machine, all);
  add_folders(machine, all);
  return all;
}

}  // namespace heddle::cli
