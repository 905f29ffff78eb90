// One shard of a farm, run in a process of its own: whatever the program does to it costs only the shard.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "driver/process/process.h"
#include "farm/messages.h"

namespace heddle::cli {

class ShardProcess {
 public:
  ShardProcess() = default;
  ~ShardProcess();
  ShardProcess(const ShardProcess&) = delete;
  ShardProcess& operator=(const ShardProcess&) = delete;

  // `job`: with the program as it is to be started here. `work`: the folder where it starts; empty: this one.
  // `libraries`: a folder of libraries that it needs; empty: none. Empty, or why it can't be started.
  std::string start(const farm::Job& job, const farm::Shard& shard, const std::string& work,
                    const std::string& libraries);
  // Has it ended? Waits so long for that at most.
  bool has_ended(std::chrono::milliseconds wait);
  // Once it has: what came of the shard, or why nothing did.
  std::variant<farm::ShardResult, std::string> result() const;
  // The trace of a bug in it, or another of its files, by its digest; empty: it is not there.
  std::string file(const std::string& digest) const;

 private:
  std::string folder_;
  Process process_;
  int status_ = 0;
};

// The shard of the first schedule alone. Equal results show that a program behaves alike on two machines.
farm::Shard probe_shard();
inline constexpr farm::ShardId kProbe = 0;  // no other shard has this number

}  // namespace heddle::cli
