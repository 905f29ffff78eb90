// Holds JSON from elsewhere against the schema of reports, share/heddle/report.schema.json, which stands in the
// program. What reads a report then finds each field, with its type.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heddle {

// Empty, or where it is not as the schema says.
std::string why_no_report(const nlohmann::json& value);

}  // namespace heddle
