// A child process of the driver: started in a process group of its own, watched through a pidfd, and ended with its
// owner. Processes that it started and left behind become our children and end with it: when a Process is gone, nothing
// of it still runs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "driver/process/descriptor.h"

namespace heddle {

struct ProcessRequest {
  std::string path;
  std::vector<std::string> arguments;    // argv
  std::vector<std::string> environment;  // NAME=value
  int input = -1;                        // becomes descriptor 0
  int output = -1;                       // becomes descriptors 1 and 2; -1: the driver's are passed on
  int inherited = -1;                    // stays open, with its number, in the program
  std::string directory = {};            // where it starts; empty: where the driver is
};

// Makes the calling process this program. Returns only if that fails: why.
std::string become(const ProcessRequest& request);

class Process {
 public:
  Process() = default;
  Process(Process&& other) noexcept { *this = std::move(other); }
  Process& operator=(Process&& other) noexcept;
  ~Process() { kill_group(); }

  // Empty, or why it could not be started. `randomized` is set when address randomization could not be switched off.
  std::string start(const ProcessRequest& request, bool& randomized);

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Its status as from wait(), once it has ended; collects it.
  std::optional<int> ended();
  // Sleeps until it has ended, at most so long.
  void wait(std::chrono::milliseconds limit) const;
  // Kills its process group and collects it. Does nothing when it is gone.
  void kill_group();

 private:
  int gone();

  pid_t pid_ = 0;
  Descriptor handle_;
};

}  // namespace heddle
