// How workers of a farm that are processes of ours end.
#pragma once

#include <signal.h>

#include <chrono>
#include <vector>

#include "driver/process/process.h"

namespace heddle::cli {

// Those that are killed at once leave the folders of their shards behind. So they are asked first, and have a moment.
inline void end_workers(std::vector<Process>& workers) {
  constexpr std::chrono::seconds kMoment{3};
  for (const Process& worker : workers)
    if (worker.running()) ::kill(worker.pid(), SIGTERM);
  const auto late = std::chrono::steady_clock::now() + kMoment;
  for (Process& worker : workers)
    while (worker.running() && !worker.ended() && std::chrono::steady_clock::now() < late)
      worker.wait(std::chrono::milliseconds(50));
  workers.clear();
}

}  // namespace heddle::cli
