// See loaded_files.h.
#include "driver/target/loaded_files.h"

#include <chrono>

#include "trace/build_id.h"

namespace heddle {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kTick_ns = 10'000'000;  // by so much at most the times of files are behind the clock

std::int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

LoadedFiles::LoadedFiles() : begun_ns_(now_ns()) {}

void LoadedFiles::remember(const ModuleMap& modules) {
  files_.clear();
  builds_.clear();
  for (const ModuleMap::Entry& module : modules.entries()) {
    const FileStamp stamp = stamp_of(module.path);
    const bool is_older = stamp.changed_s * kSecond_ns + stamp.changed_ns < begun_ns_ - kTick_ns;
    if (stamp != FileStamp() && is_older) files_.emplace_back(module.path, stamp);
  }
}

std::string LoadedFiles::replaced() const {
  for (const auto& [path, stamp] : files_)
    if (stamp_of(path) != stamp) return path;
  return {};
}

const std::vector<std::pair<std::string, std::string>>& LoadedFiles::builds() {
  if (!builds_.empty()) return builds_;
  builds_.reserve(files_.size());
  for (const auto& [path, stamp] : files_) builds_.emplace_back(path, build_id_of(path));
  return builds_;
}

}  // namespace heddle
