// The list of subcommands; see command.h.
#include <algorithm>

#include "cli/command.h"

namespace heddle::cli {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> all{
      &kRunCommand,    &kTestCommand,   &kReplayCommand,  &kDebugCommand,    &kShowCommand,       &kAddCommand,
      &kListCommand,   &kForgetCommand, &kFarmRunCommand, &kFarmTestCommand, &kFarmAttachCommand, &kFarmStatusCommand,
      &kWorkerCommand, &kDoctorCommand, &kOrdersCommand,  &kHelpCommand,     &kVersionCommand};
  return all;
}

const Command* command_named(std::string_view name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command* command) { return name == command->name; });
  return found == commands().end() ? nullptr : *found;
}

}  // namespace heddle::cli
