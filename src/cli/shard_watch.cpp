// See shard_watch.h.
#include "cli/shard_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "cli/values.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostTasks = 100'000;  // that are looked at, where there is no limit
constexpr unsigned kMostFiles = 10'000;   // likewise, in the shard's folder

struct Tasks {
  std::vector<pid_t> processes;
  std::size_t threads = 0;
  // Where processes end while they are counted, the one number is larger, else the other.
  std::size_t count() const { return std::max(processes.size(), threads); }
};

// All processes that descend from it, and itself, until there are too many.
Tasks tasks_of(pid_t first, std::size_t most) {
  Tasks tasks{{first}, 0};
  for (std::size_t i = 0; i < tasks.processes.size() && tasks.count() <= most; ++i) {
    std::error_code error;
    const std::string folder = fmt::format("/proc/{}/task", tasks.processes[i]);
    for (fs::directory_iterator thread(folder, error), end; !error && thread != end; thread.increment(error)) {
      ++tasks.threads;
      std::ifstream children(thread->path() / "children");
      for (pid_t child = 0; tasks.processes.size() <= most && children >> child;) tasks.processes.push_back(child);
    }
  }
  return tasks;
}

// What it has in memory. Pages that several have count in each.
std::uint64_t resident_bytes(pid_t process) {
  std::uint64_t size = 0, resident = 0;
  std::ifstream(fmt::format("/proc/{}/statm", process)) >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The same, where of pages that several have each counts its share. That takes the kernel longer.
std::uint64_t shared_out_bytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", process));
  for (std::string word; file >> word;)
    if (std::uint64_t kilobytes = 0; word == "Pss:" && file >> kilobytes) return kilobytes << 10;
  return 0;
}

std::uint64_t bytes_of(const Tasks& tasks, std::uint64_t most) {
  std::uint64_t bytes = 0;
  for (const pid_t process : tasks.processes) bytes += resident_bytes(process);
  if (bytes <= most) return bytes;
  std::uint64_t shared_out = 0;
  for (const pid_t process : tasks.processes) shared_out += shared_out_bytes(process);
  return shared_out != 0 ? shared_out : bytes;
}

// Too many files count as too many bytes.
std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  unsigned files = 0;
  std::error_code error, gone;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++files > kMostFiles) return UINT64_MAX;
    if (!entry->is_symlink(gone) && entry->is_regular_file(gone))
      if (const std::uintmax_t size = entry->file_size(gone); !gone) bytes += size;
  }
  return bytes;
}

}  // namespace

ShardWatch::ShardWatch(const ShardLimits& limits, pid_t first, std::string folder, double budget_s)
    : limits_(limits), first_(first), folder_(std::move(folder)), begun_(Clock::now()), budget_s_(budget_s) {}

std::string ShardWatch::look() {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  if (limits_.over_s != 0 && seconds > budget_s_ + limits_.over_s)
    return fmt::format(
        "a shard's process did not end within {} after the shard's time of {}; the worker's "
        "--worker-time allows more",
        duration(limits_.over_s), duration(budget_s_));
  if (limits_.memory_bytes == 0 && limits_.processes == 0) return {};
  const Tasks tasks = tasks_of(first_, limits_.processes != 0 ? limits_.processes : kMostTasks);
  if (limits_.processes != 0 && tasks.count() > limits_.processes)
    return fmt::format(
        "a shard had more than {} processes and threads at once; the worker's --worker-processes allows "
        "more",
        limits_.processes);
  if (limits_.memory_bytes == 0) return {};
  if (now >= next_folder_) {
    next_folder_ = now + std::chrono::seconds(1);
    folder_bytes_ = bytes_below(folder_);
  }
  if (folder_bytes_ > limits_.memory_bytes ||
      bytes_of(tasks, limits_.memory_bytes - folder_bytes_) > limits_.memory_bytes - folder_bytes_)
    return fmt::format("a shard took more than {} of memory and files; the worker's --worker-memory allows more",
                       format_bytes(limits_.memory_bytes));
  return {};
}

void ShardWatch::end() const {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", first_));
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
}

}  // namespace heddle::cli
