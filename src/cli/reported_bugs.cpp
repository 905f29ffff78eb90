// See reported_bugs.h.
#include "cli/reported_bugs.h"

#include <cstdlib>
#include <filesystem>

namespace heddle::cli {

std::string ReportedBug::text(const char* field) const {
  const auto found = bug.find(field);
  return found != bug.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string ReportedBug::title() const { return text("kind") + (test.empty() ? "" : " in " + test); }

std::vector<ReportedBug> bugs_of(const std::vector<NamedReport>& reports, TimingBugs timing_bugs) {
  std::vector<ReportedBug> result;
  for (const NamedReport& one : reports) {
    if (one.report.is_null()) continue;
    const nlohmann::json& command = one.report["command"];
    const std::string program = command.empty() ? std::string() : command[0].get<std::string>();
    for (const nlohmann::json& bug : one.report["bugs"]) {
      const bool is_of_time = bug.value("needs_only_time", false) && timing_bugs == TimingBugs::Pass;
      result.push_back({one.test, program, bug, !bug.value("known", false) && !is_of_time});
    }
  }
  return result;
}

std::string source_root() {
  const char* checked_out = std::getenv("GITHUB_WORKSPACE");
  if (checked_out != nullptr && *checked_out == '/') return checked_out;
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

std::string below_root(const std::string& path, const std::string& root) {
  std::string folder = root;
  if (folder.empty() || folder.back() != '/') folder += '/';
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal.rfind(folder, 0) == 0 ? normal.substr(folder.size()) : path;
}

}  // namespace heddle::cli
