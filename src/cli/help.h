// Help texts, from the tables of commands, options and exit statuses.
#pragma once

#include <string>

#include "cli/command.h"

namespace heddle::cli {

std::string general_help();
std::string help_for(const Command& command);
// All options as Markdown tables, for docs/GUIDE.md.
std::string options_as_markdown();

}  // namespace heddle::cli
