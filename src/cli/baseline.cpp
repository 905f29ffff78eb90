// See baseline.h.
#include "cli/baseline.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/json.h"

namespace heddle::cli {
namespace {

constexpr const char* kHowToMake = "write one with heddle run --json=FILE or heddle test --json=FILE";

// Empty, or what is wrong.
std::string add_bugs(const nlohmann::json& report, std::set<std::string>& keys) {
  const auto bugs = report.find("bugs");
  if (bugs == report.end() || !bugs->is_array()) return "is no report of Heddle";
  for (const nlohmann::json& bug : *bugs) {
    const auto key = bug.is_object() ? bug.find("key") : bug.end();
    if (!bug.is_object() || key == bug.end() || !key->is_string())
      return "has a bug without a key, as older versions of Heddle wrote it";
    keys.insert(key->get<std::string>());
  }
  return {};
}

std::string add_all(const nlohmann::json& file, std::set<std::string>& keys) {
  if (!file.is_object()) return "is no report of Heddle";
  const auto format = file.find("format_version");
  if (format == file.end() || *format != kJsonFormat)
    return fmt::format("is no report of Heddle in the format {}, which this version reads", kJsonFormat);
  const auto tests = file.find("tests");
  if (tests == file.end()) return add_bugs(file, keys);
  if (!tests->is_array()) return "is no report of Heddle";
  for (const nlohmann::json& test : *tests) {
    if (!test.is_object() || !test.contains("report")) return "is a list of tests without their results";
    if (test["report"].is_null()) continue;  // it could not be run
    if (std::string error = add_bugs(test["report"], keys); !error.empty()) return error;
  }
  return {};
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  Baseline result;
  std::ifstream file(path);
  if (!file) {
    result.error = fmt::format("{}: {}; {}", path, std::strerror(errno), kHowToMake);
    return result;
  }
  std::ostringstream text;
  text << file.rdbuf();  // of a folder nothing
  const nlohmann::json content = nlohmann::json::parse(text.str(), nullptr, false);
  const std::string problem = content.is_discarded() ? std::string("is no JSON") : add_all(content, result.keys);
  if (!problem.empty()) result.error = fmt::format("{} {}; {}", path, problem, kHowToMake);
  return result;
}

}  // namespace heddle::cli
