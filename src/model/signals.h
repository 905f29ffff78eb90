// Pending signals, as bits. The runtime keeps what they carry. interrupts.h says how tasks take them.
#pragma once

#include <cstdint>

#include "model/task.h"

namespace heddle::model {

class Signals {
 public:
  std::uint64_t of_process() const { return of_process_; }  // not yet taken by any of its tasks
  std::uint64_t arrived(const Task& task) const { return task.arrived_signals | of_process_; }
  std::uint64_t deliverable(const Task& task) const { return arrived(task) & ~task.blocked_signals; }
  void add_to_process(int signal) { of_process_ |= signal_bit(signal); }
  void take_from_process(int signal) { of_process_ &= ~signal_bit(signal); }

 private:
  std::uint64_t of_process_ = 0;
};

}  // namespace heddle::model
