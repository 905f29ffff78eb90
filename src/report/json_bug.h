// A bug as JSON: an entry of "bugs" in a report (json.h).
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace heddle {

nlohmann::ordered_json json_of(const Bug& bug);

}  // namespace heddle
