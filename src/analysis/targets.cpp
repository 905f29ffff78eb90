// See targets.h.
#include "analysis/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kShown = 8;

bool is_of_library(const std::string& function) {
  return function.starts_with("std::") || function.starts_with("__") || function.starts_with("_M_");
}

// The whole, or what stands before a member of it: "queue" names queue.head, too.
bool names_variable(const std::string& pattern, const std::string& name) {
  if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  for (std::size_t at = name.find_first_of(".[+"); at != std::string::npos; at = name.find_first_of(".[+", at + 1))
    if (fnmatch(pattern.c_str(), name.substr(0, at).c_str(), 0) == 0) return true;
  return false;
}

}  // namespace

std::vector<Targets::Name> Targets::split(std::string_view names) {
  std::vector<Name> result;
  while (!names.empty()) {
    const auto comma = std::min(names.find(','), names.size());
    if (comma != 0) result.push_back({std::string(names.substr(0, comma))});
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return result;
}

void Targets::Others::add(const std::string& name) {
  if (!name.empty() && !is_of_library(name) && names.size() < kShown) names.insert(name);
}

std::string Targets::Others::text() const {
  return names.empty() ? std::string("none has a name") : fmt::format("there are {}", fmt::join(names, ", "));
}

Targets::Targets(std::string_view methods, std::string_view variables, std::function<ModuleMap()> modules)
    : methods_(split(methods)), variables_(split(variables)), modules_(std::move(modules)) {}

Symbolizer& Targets::symbolizer() {
  if (symbolizer_ == nullptr || modules_().entries().size() != modules_known_) {
    const ModuleMap modules = modules_();
    modules_known_ = modules.entries().size();
    symbolizer_ = std::make_unique<Symbolizer>(modules);
  }
  return *symbolizer_;
}

bool Targets::is_method(Site site) {
  if (site == 0 || ModuleMap::is_unplaced(site)) return false;
  other_methods_.asked = true;
  const auto [entry, added] = known_methods_.try_emplace(site, false);
  if (!added) return entry->second;
  const std::vector<Frame>& frames = symbolizer().frames(site);
  for (Name& name : methods_) {
    const NoPreemptRule rule{NoPreemptRule::Kind::Function, name.pattern};
    if (std::none_of(frames.begin(), frames.end(), [&](const Frame& frame) { return matches(rule, frame); })) continue;
    entry->second = name.matched = true;
  }
  if (!entry->second)
    for (const Frame& frame : frames) other_methods_.add(frame.function);
  return entry->second;
}

Frame Targets::frame_at(Site site) {
  if (site == 0 || ModuleMap::is_unplaced(site)) return {};
  const std::vector<Frame>& frames = symbolizer().frames(site);
  const auto own = std::find_if(frames.begin(), frames.end(), [](const Frame& frame) {
    return !frame.function.empty() && !is_of_library(frame.function);
  });
  return own != frames.end() ? *own : frames.front();
}

bool Targets::is_users(Site site) {
  if (site == 0 || ModuleMap::is_unplaced(site)) return false;
  const auto [entry, added] = known_users_.try_emplace(site, false);
  if (added) {
    const std::vector<Frame>& frames = symbolizer().frames(site);
    entry->second = std::any_of(frames.begin(), frames.end(), is_user_code);
  }
  return entry->second;
}

bool Targets::is_variable(std::uint64_t address) {
  other_variables_.asked = true;
  const auto [entry, added] = known_variables_.try_emplace(address, false);
  if (!added) return entry->second;
  const std::string own = symbolizer().variable(address);
  for (Name& name : variables_) {
    if (own.empty() || !names_variable(name.pattern, own)) continue;
    entry->second = name.matched = true;
  }
  if (!entry->second) other_variables_.add(own);
  return entry->second;
}

std::vector<std::string> Targets::variables_that_match(bool any) const {
  std::vector<std::string> result;
  for (const Name& name : variables_)
    if (name.matched == any) result.push_back(name.pattern);
  return result;
}

std::vector<std::string> Targets::unmatched() const {
  std::vector<std::string> result;
  for (const Name& name : methods_)
    if (!name.matched && other_methods_.asked)
      result.push_back(fmt::format("--method: no thread could be preempted in a function \"{}\"; {}", name.pattern,
                                   other_methods_.text()));
  for (const Name& name : variables_)
    if (!name.matched && other_variables_.asked)
      result.push_back(fmt::format("--var: no operation of a thread is on a variable \"{}\"; {}", name.pattern,
                                   other_variables_.text()));
  return result;
}

}  // namespace heddle
