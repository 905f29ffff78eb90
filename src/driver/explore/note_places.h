// Notes name places by address, "{at 0x7f00…}", and objects by number, "{object 3}". Here they become words.
#pragma once

#include <string>

#include "trace/execution.h"
#include "trace/modules.h"

namespace heddle {

std::string with_places(const std::string& note, const Execution& execution, const ModuleMap& modules);

}  // namespace heddle
