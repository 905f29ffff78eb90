// From the words of a command line to Settings.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/settings.h"

namespace heddle::cli {

struct Parsed {
  Settings settings;
  bool help = false;  // --help was given
  std::string error;  // empty when all is well
  std::string note;   // what the user may not have meant; empty: there is no doubt
};

// `words`: what follows the command's name.
Parsed parse(const Command& command, const std::vector<std::string>& words);

}  // namespace heddle::cli
