// A report for programs: --json and report.json. The fields are a promise (docs/GUIDE.md lists them): raise kJsonFormat
// when one changes its meaning. New fields need no new format.
#pragma once

#include <string>

#include "report/report.h"

namespace heddle {

inline constexpr int kJsonFormat = 1;

std::string json(const Report& report);

}  // namespace heddle
