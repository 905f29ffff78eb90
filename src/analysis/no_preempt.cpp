// See no_preempt.h.
#include "analysis/no_preempt.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"function", "file", "library"};  // by NoPreemptRule::Kind

bool matches_glob(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// The whole, or what follows one of the separators.
bool matches_end(const std::string& pattern, const std::string& text, std::string_view separator) {
  if (text.empty()) return false;
  if (matches_glob(pattern, text)) return true;
  for (auto at = text.find(separator); at != std::string::npos; at = text.find(separator, at + 1))
    if (matches_glob(pattern, text.substr(at + separator.size()))) return true;
  return false;
}

std::string parse_rule(std::string_view text, NoPreemptRule& rule) {
  const auto colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const auto* const known = std::find(kKinds.begin(), kKinds.end(), kind);
  if (colon == std::string_view::npos || known == kKinds.end() || colon + 1 == text.size())
    return fmt::format("\"{}\" is none of function:NAME, file:GLOB, library:GLOB", text);
  rule.kind = static_cast<NoPreemptRule::Kind>(known - kKinds.begin());
  rule.pattern = text.substr(colon + 1);
  return {};
}

}  // namespace

NoPreemptRules parse_no_preempt(const std::string& text) {
  NoPreemptRules result;
  for (std::string_view rest = text; !rest.empty() && result.error.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    result.error = parse_rule(rest.substr(0, comma), result.rules.emplace_back());
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (result.rules.empty()) result.error = "it names no place; write function:NAME, file:GLOB or library:GLOB";
  return result;
}

bool matches(const NoPreemptRule& rule, const Frame& frame) {
  switch (rule.kind) {
    case NoPreemptRule::Kind::Function:
      return matches_end(rule.pattern, frame.function, "::");
    case NoPreemptRule::Kind::File:
      return matches_end(rule.pattern, frame.file, "/");
    case NoPreemptRule::Kind::Library:
      break;
  }
  return matches_end(rule.pattern, frame.module, "/");
}

bool NoPreempt::holds_at(Site site) {
  if (rules_.empty() || site == 0 || ModuleMap::is_unplaced(site)) return false;
  const auto [entry, added] = known_.try_emplace(site, false);
  if (added) entry->second = look_up(site);
  return entry->second;
}

bool NoPreempt::look_up(Site site) {
  if (symbolizer_ == nullptr || modules_().entries().size() != modules_known_) {
    const ModuleMap modules = modules_();
    modules_known_ = modules.entries().size();
    symbolizer_ = std::make_unique<Symbolizer>(modules);
  }
  bool found = false;
  const std::vector<Frame>& frames = symbolizer_->frames(site);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (std::none_of(frames.begin(), frames.end(), [&](const Frame& frame) { return matches(rules_[i], frame); }))
      continue;
    found = matched_[i] = true;
  }
  return found;
}

std::vector<std::string> NoPreempt::unmatched() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (!matched_[i]) result.push_back(text_of(rules_[i]));
  return result;
}

std::string text_of(const NoPreemptRule& rule) {
  return fmt::format("{}:{}", kKinds.at(static_cast<std::size_t>(rule.kind)), rule.pattern);
}

}  // namespace heddle
