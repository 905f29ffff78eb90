// The steps that have been taken: how many, what they cost, and whose the last one was.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

class Steps {
 public:
  std::uint32_t count() const { return count_; }
  std::uint32_t preemptions() const { return preemptions_; }
  std::uint32_t spurious() const { return spurious_; }
  std::uint32_t stale() const { return stale_; }  // reads of old values, and stores put before later ones
  TaskId last_ran() const { return last_ran_; }
  TaskId stepping() const { return stepping_; }  // whose step it is; kNoTask: between two steps

  void add() { ++count_; }
  void take_back() { --count_; }  // it was a misuse
  void add_preemptions(std::uint32_t cost) { preemptions_ += cost; }
  void add_spurious() { ++spurious_; }
  void add_stale() { ++stale_; }
  void begin(TaskId id) { stepping_ = id; }
  void end() { stepping_ = kNoTask; }
  void went_on(TaskId id) { last_ran_ = id; }
  // Those before don't count.
  void begin_counting() { count_ = preemptions_ = 0; }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t preemptions_ = 0;
  std::uint32_t spurious_ = 0;
  std::uint32_t stale_ = 0;
  TaskId last_ran_ = 0;
  TaskId stepping_ = kNoTask;
};

}  // namespace heddle::model
