// A subcommand: one file each, named in the registry.
//
// To add one: a file with a `const Command`, and a line in registry.cpp.
#pragma once

#include <vector>

#include "cli/exit_status.h"
#include "cli/settings.h"
#include "cli/terminal.h"

namespace heddle::cli {

struct Command {
  const char* name;
  const char* operands;  // as in "heddle run [options] [--] PROGRAM [ARGS…]"
  const char* summary;   // one line
  unsigned options;      // For:: bit; 0: none
  bool program_follows;  // options end at the first word that is no option; the rest is a program with its arguments
  ExitStatus (*run)(Settings& settings, Terminal& terminal);
};

extern const Command kRunCommand, kTestCommand, kReplayCommand, kDebugCommand, kShowCommand, kAddCommand, kListCommand,
    kForgetCommand, kFarmRunCommand, kFarmTestCommand, kFarmAttachCommand, kFarmStatusCommand, kWorkerCommand,
    kDoctorCommand, kOrdersCommand, kHelpCommand, kVersionCommand;
// Not for users: what `heddle debug` has gdb start in the program's place.
extern const Command kStartForGdbCommand;
// Nor this: what `heddle test` starts for each test.
extern const Command kRunTestCommand;
// Nor this: what `heddle worker` starts for each shard.
extern const Command kRunShardCommand;
// Nor this: the small program with two threads that `heddle doctor` explores.
extern const Command kSmallProgramCommand;

inline constexpr const char* kRunTest = "--run-test";    // the name of kRunTestCommand
inline constexpr const char* kRunShard = "--run-shard";  // likewise

const std::vector<const Command*>& commands();
const Command* command_named(std::string_view name);

}  // namespace heddle::cli
