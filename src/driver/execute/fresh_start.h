// Where there is no further worker, the program is started once more and runs the first plan. What a program reads
// before its first thread is the same in all executions of one worker: only another process shows a difference.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "driver/execute/workers.h"

namespace heddle {

class FreshStart {
 public:
  explicit FreshStart(const LaunchOptions& launch) : launch_(launch) {}

  // Has a process other than the first worker's run the first plan, or is to? Or it is known that none is to.
  bool settled() const { return settled_; }
  void settle() { settled_ = true; }
  // Another first plan, or another worker: it is not.
  void unsettle() { settled_ = false; }

  bool under_way() const { return process_ != nullptr; }
  // Runs `plan` so many times; only the last counts.
  void begin(const Isolation& isolation, const Plan& plan, unsigned times);
  // Its last execution, when it has come. One that could not be started, or brings nothing, says nothing.
  std::optional<LentExecution> poll();
  void wait(std::chrono::milliseconds limit) { process_->worker.wait(limit); }
  // It is not to come any more; another one may be begun.
  void abandon();

 private:
  const LaunchOptions launch_;
  std::unique_ptr<PinnedWorker> process_;
  bool settled_ = false;
};

}  // namespace heddle
