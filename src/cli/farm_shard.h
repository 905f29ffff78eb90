// One shard of a farm, run in a process of its own: whatever the program does to it costs only the shard.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "cli/farm_files.h"
#include "cli/shard_watch.h"
#include "driver/process/descriptor.h"
#include "driver/process/process.h"
#include "farm/messages.h"

namespace heddle::cli {

// Where and how it is run.
struct ShardRoom {
  FarmPlace place;  // with the program as it is to be started here
  ShardLimits limits;
  bool sandbox = false;
  std::string library;    // libheddle.so
  std::string variables;  // that the program sees in the sandbox, too: names with commas between them
};

class ShardProcess {
 public:
  ShardProcess() = default;
  ~ShardProcess();
  ShardProcess(const ShardProcess&) = delete;
  ShardProcess& operator=(const ShardProcess&) = delete;

  // `job`: with the program as it is to be started here. Empty, or why it can't be started.
  std::string start(const farm::Job& job, const farm::Shard& shard, const ShardRoom& room);
  // Has it ended, or was it ended since it exceeded a limit? Waits so long for that at most.
  bool has_ended(std::chrono::milliseconds wait);
  // Once it has: what came of the shard, or why nothing did.
  std::variant<farm::ShardResult, std::string> result() const;
  // The trace of a bug in it, or another of its files, by its digest; empty: it is not there.
  std::string file(const std::string& digest) const;

 private:
  std::string make_folder();
  ProcessRequest request(const farm::Job& job, const ShardRoom& room) const;

  std::string home_, folder_;  // inside of it: what the shard writes to
  Descriptor owner_;
  std::string job_;
  farm::ShardId id_ = 0;
  Process process_;
  ShardWatch watch_;
  std::string exceeded_;  // a limit; empty: none
  int status_ = 0;
};

// Removes what workers that were killed have left of their shards.
void remove_stale_shards();

// The shard of the first schedule alone. Equal results show that a program behaves alike on two machines.
farm::Shard probe_shard();
inline constexpr farm::ShardId kProbe = 0;  // no other shard has this number

}  // namespace heddle::cli
