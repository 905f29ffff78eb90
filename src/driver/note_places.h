// Notes that the runtime writes in the program name places by address: "{at 7f00…}". Here they become words.
#pragma once

#include <string>

#include "trace/execution.h"
#include "trace/modules.h"

namespace heddle {

std::string with_places(const std::string& note, const Execution& execution, const ModuleMap& modules);

}  // namespace heddle
