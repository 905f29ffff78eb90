// What a package installs beside the program, from the tables of commands, options and exit statuses: manual pages and
// what completes command lines in shells. `heddle help --man NAME` and `heddle help --completion SHELL` print them.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace heddle::cli {

// In section 1. Null: heddle(1), which names the commands.
std::string man_page(const Command* command);
// For "bash", "zsh" or "fish"; empty for another shell.
std::string completion(std::string_view shell);

}  // namespace heddle::cli
