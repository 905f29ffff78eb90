// See self_check.h.
#include "driver/explore/self_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/known_libraries.h"
#include "protocol/scripts.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr const char* kHowTo = "(docs/GUIDE.md, \"Building for data races and atomics\")";

std::string instrumented_files(const ModuleMap& modules) {
  std::string list;
  for (const auto& entry : modules.entries())
    if (entry.instrumented) list += fmt::format("{}{}", list.empty() ? "" : ", ", file_name(entry.path));
  return list;
}

std::string left_unchecked(const Report& report, bool races_expected, const ModuleMap& modules) {
  if (report.of_another_version)
    return "a part of the program was instrumented for another version of Heddle, and is not looked at: build it again "
           "with this version's heddle-cc";
  if (modules.empty()) return {};
  if (!report.instrumented)
    return races_expected ? fmt::format(
                                "data races were not looked for: nothing of the program was compiled by heddle-cc or "
                                "heddle-c++; to link by them is not enough {}",
                                kHowTo)
                          : std::string();
  if (modules.entries().front().instrumented) return {};
  const std::string files = instrumented_files(modules);
  if (files.empty()) return {};
  return fmt::format(
      "only {} was compiled by heddle-cc or heddle-c++, not the program itself: its own accesses to memory are neither "
      "scheduling points nor looked at for data races {}",
      files, kHowTo);
}

std::string unseen_locks(const Report& report, const ModuleMap& modules) {
  if (report.instrumented) return {};
  for (const auto& entry : modules.entries()) {
    const std::string name(file_name(entry.path));
    if (has_locks_in_headers(name))
      return fmt::format(
          "locks of {} are taken by code in its headers, which is not seen: what goes wrong with them may be missed, "
          "unless the program is built by heddle-cc or heddle-c++ {}",
          name, kHowTo);
  }
  return {};
}

std::string missing_scripts(PythonPoints python, const ModuleMap& modules) {
  const bool is_python = !modules.empty() && file_name(modules.entries().front().path).starts_with("python");
  if (python == PythonPoints::No || !is_python || has_scripts(modules)) return {};
  return "no line of the program's own Python files was a scheduling point: Python was started with -I, -E or -S, or "
         "all that ran belongs to Python or to installed packages; start it without these, or give --python=no";
}

}  // namespace

bool has_scripts(const ModuleMap& modules) {
  return std::any_of(modules.entries().begin(), modules.entries().end(),
                     [](const ModuleMap::Entry& entry) { return is_in_script(entry.base); });
}

std::vector<std::string> self_check(const Report& report, bool races_expected, PythonPoints python,
                                    const Search& search, const ModuleMap& modules) {
  std::vector<std::string> result;
  if (report.schedules == 0) return result;
  // What a search that is resumed came to before is not known.
  if (report.schedules_before == 0) {
    for (const std::string& rule : search.no_preempt().unmatched())
      result.push_back(
          fmt::format("--no-preempt={} matched no place at which a thread could have been preempted", rule));
    for (std::string& text : search.targets().unmatched()) result.push_back(std::move(text));
  }
  for (std::string text : {left_unchecked(report, races_expected, modules), unseen_locks(report, modules),
                           missing_scripts(python, modules)})
    if (!text.empty()) result.push_back(std::move(text));
  return result;
}

}  // namespace heddle
