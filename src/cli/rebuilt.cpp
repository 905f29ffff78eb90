// See rebuilt.h.
#include "cli/rebuilt.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/build_id.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

constexpr const char* kOwnLibrary = "libheddle.so";
constexpr std::size_t kMaxNamed = 3;

bool was_rebuilt(const std::string& path, const std::string& then) {
  const std::string now = then.empty() ? std::string() : build_id_of(path);
  return !now.empty() && now != then;
}

}  // namespace

std::vector<std::string> rebuilt_files(const Trace& trace) {
  std::vector<std::string> paths;
  const std::string& program = trace.header.program;
  if (was_rebuilt(program, trace.header.build_id)) paths.push_back(program);
  const auto& modules = trace.modules.entries();
  for (std::size_t i = 0; i < std::min(modules.size(), trace.module_build_ids.size()); ++i) {
    const std::string& path = modules[i].path;
    const bool known = path == program || std::find(paths.begin(), paths.end(), path) != paths.end();
    if (!known && file_name(path) != kOwnLibrary && was_rebuilt(path, trace.module_build_ids[i])) paths.push_back(path);
  }
  return paths;
}

std::string were_rebuilt(const Trace& trace, const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  names.reserve(paths.size() + 1);
  for (const std::string& path : paths)
    names.push_back(path == trace.header.program ? "the program" : std::string(file_name(path)));
  if (names.size() > kMaxNamed) {
    names.push_back(fmt::format("{} more", names.size() - kMaxNamed + 1));
    names.erase(names.begin() + kMaxNamed - 1, names.end() - 1);
  }
  std::string last = std::move(names.back());
  names.pop_back();
  if (names.empty()) return last + " was rebuilt";
  return fmt::format("{} and {} were rebuilt", fmt::join(names, ", "), last);
}

}  // namespace heddle::cli
