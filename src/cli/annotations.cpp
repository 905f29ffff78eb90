// See annotations.h.
#include "cli/annotations.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace heddle::cli {
namespace {

// What a line of GitHub's can't hold; of a property also what ends it.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    const bool is_special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    result += is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string annotation(const ReportedBug& bug, const std::string& root) {
  std::string properties;
  const auto places = bug.bug.find("places");
  if (places != bug.bug.end() && !places->empty() && places->front()["file"].is_string()) {
    const nlohmann::json& place = places->front();
    properties += "file=" + escaped(below_root(place["file"].get<std::string>(), root), true) + ",";
    if (place["line"].is_number()) properties += fmt::format("line={},", place["line"].get<int>());
  }
  std::string text = bug.text("message");
  if (bug.bug.value("known", false)) text += "\nknown: its cause is in the baseline";
  if (const std::string trace = bug.text("trace"); !trace.empty()) text += "\nheddle show " + trace;
  return fmt::format("::{} {}title={}::{}\n", bug.fails ? "error" : "warning", properties, escaped(bug.title(), true),
                     escaped(text, false));
}

}  // namespace

bool is_github_step() {
  const char* set = std::getenv("GITHUB_ACTIONS");
  return set != nullptr && std::string_view(set) == "true";
}

std::string annotations(const std::vector<ReportedBug>& bugs, const std::string& root) {
  std::string result;
  for (const ReportedBug& bug : bugs) result += annotation(bug, root);
  return result;
}

}  // namespace heddle::cli
