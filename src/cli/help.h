// Help texts, from the tables of commands, options and exit statuses.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/options.h"

namespace heddle::cli {

// "--seed=N", "-j N".
std::string spelled(const Option& option);
// The help of an option and its default.
std::string with_default(const Option& option);
// Does its exit status say more than that it was used wrongly?
bool has_statuses(const Command& command);
std::string general_help();
std::string help_for(const Command& command);
// All options as Markdown tables, for docs/GUIDE.md.
std::string options_as_markdown();

}  // namespace heddle::cli
