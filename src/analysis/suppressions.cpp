// See suppressions.h.
#include "analysis/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

constexpr std::string_view kSpaces = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// The parts between the stars, one after the other from `at` on; the last one at the end if `to_end`.
bool match_parts(std::string_view pattern, std::string_view text, bool from_begin, bool to_end) {
  std::size_t at = 0;
  bool first = true;
  for (;;) {
    const auto star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const bool last = star == std::string_view::npos;
    if (last && to_end)
      return text.size() >= at + part.size() && text.ends_with(part) && (!first || !from_begin || part == text);
    const auto found = text.find(part, at);
    if (found == std::string_view::npos || (first && from_begin && found != 0)) return false;
    if (last) return true;
    at = found + part.size();
    pattern.remove_prefix(star + 1);
    first = false;
  }
}

}  // namespace

bool matches_suppression(std::string_view pattern, std::string_view text) {
  const bool from_begin = pattern.starts_with('^'), to_end = pattern.ends_with('$');
  if (from_begin) pattern.remove_prefix(1);
  if (to_end) pattern.remove_suffix(1);
  return !text.empty() && match_parts(pattern, text, from_begin, to_end);
}

std::string Suppressions::add(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.starts_with('#')) return {};
  const auto colon = line.find(':');
  const std::string_view kind = line.substr(0, colon);
  const std::string_view pattern = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 1));
  if (pattern.empty()) return fmt::format("\"{}\" is no suppression; write race:NAME", line);
  constexpr std::array<std::string_view, 5> kOthers = {"thread", "mutex", "signal", "deadlock", "called_from_lib"};
  if (kind == "race" || kind == "race_top")
    rules_.push_back({std::string(line), std::string(pattern), kind == "race_top"});
  else if (std::find(kOthers.begin(), kOthers.end(), kind) == kOthers.end())
    return fmt::format("\"{}\" is no kind of suppression; write race:NAME", kind);
  return {};
}

std::vector<std::string> Suppressions::rules() const {
  std::vector<std::string> result;
  for (const Rule& rule : rules_) result.push_back(rule.text);
  return result;
}

std::string Suppressions::match_any(std::string_view text, bool innermost) const {
  const auto rule = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& one) {
    return (innermost || !one.only_innermost) && matches_suppression(one.pattern, text);
  });
  return rule == rules_.end() ? "" : rule->text;
}

std::string Suppressions::match_code(const std::vector<Site>& stack, Symbolizer& symbolizer) const {
  bool innermost = true;
  for (const Site site : stack) {
    for (const Frame& frame : symbolizer.frames(site)) {
      if (is_of_heddle(frame)) continue;  // below every thread's own
      for (const std::string* text : {&frame.function, &frame.file, &frame.module})
        if (std::string rule = match_any(*text, innermost); !rule.empty()) return rule;
      innermost = false;
    }
  }
  return {};
}

ReadSuppressions read_suppressions(const std::string& path) {
  ReadSuppressions result;
  if (path.empty()) return result;
  std::ifstream file(path);
  if (std::error_code unknown; std::filesystem::is_directory(path, unknown)) {
    result.error = fmt::format("{} is a folder, not a file with suppressions", path);
    return result;
  }
  if (!file) {
    result.error = fmt::format("{} can't be read: {}", path, std::strerror(errno));
    return result;
  }
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    const std::string error = result.suppressions.add(line);
    if (!error.empty() && result.error.empty()) result.error = fmt::format("{}:{}: {}", path, number, error);
  }
  return result;
}

}  // namespace heddle
