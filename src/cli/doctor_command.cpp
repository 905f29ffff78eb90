// `heddle doctor`: what this machine and a program allow, and what to do about the rest.
#include <fmt/format.h>
#include <sys/utsname.h>

#include "cli/command.h"
#include "cli/machine_check.h"
#include "cli/program_check.h"
#include "driver/process/interrupt.h"
#include "report/wording.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

std::string heading_of_machine() {
  utsname system{};
  uname(&system);
  return fmt::format("This machine (Heddle {}, {} {}, {})", kHeddleVersion, system.sysname, system.release,
                     system.machine);
}

// What was found out of the program, and the command that leads on.
struct Examined {
  Findings findings;
  std::string next;
};

Examined examine(const Settings& settings) {
  const std::vector<std::string>& command = settings.run.command;
  const auto target = inspect_target(settings.run);
  if (const auto* error = std::get_if<TargetError>(&target)) return {{{FindingKind::Missing, error->message}}, {}};
  const Program program = look_at_program(std::get<Target>(target), command.front());
  return {findings_of(program), next_command(program, command)};
}

ExitStatus doctor(Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;
  const Machine machine = look_at_machine();
  if (interrupted()) return ExitStatus::Interrupted;
  Findings of_machine = findings_of(machine);
  terminal.result(text_of(heading_of_machine(), of_machine, terminal.width()));
  bool is_missing = any_missing(of_machine);
  std::string next = "heddle doctor PROGRAM";
  if (!settings.run.command.empty()) {
    const std::string& name = settings.run.command.front();
    Examined examined = examine(settings);
    const bool is_known = !examined.findings.empty() && examined.findings.front().text == machine.problem;
    if (!is_known) terminal.result(text_of(name, examined.findings, terminal.width()));
    is_missing = is_missing || any_missing(examined.findings);
    next = is_missing ? "heddle doctor " + shell_quoted(name) : examined.next;
  }
  terminal.result(fmt::format("Next: {}{}\n", is_missing ? "mend what is missing, then: " : "", next));
  return is_missing ? ExitStatus::WrongUse : ExitStatus::NoBug;
}

}  // namespace

const Command kDoctorCommand = {
    "doctor",
    "[PROGRAM [ARGS…]]",
    "say what this machine and a program allow, what will be seen and what not, and what to do",
    0,
    true,
    doctor};

}  // namespace heddle::cli
