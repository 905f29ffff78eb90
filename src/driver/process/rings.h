// The driver's ends of the two rings of the memory shared with one worker (protocol/shared.h): plans go in, records
// come out. The program under test can write there. So the driver keeps copies of its own cursors, and notices when the
// target's make no sense (corrupted()).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "protocol/shared.h"
#include "trace/plan.h"

namespace heddle {

class PlanRing {
 public:
  explicit PlanRing(Shared& shared) : shared_(shared) {}

  // False when there is no room now. The target is woken by flush(), or here once enough have come together.
  bool write(const Plan& plan);
  void flush();
  static bool fits(const Plan& plan) {
    return plan_slots(static_cast<std::uint32_t>(plan.deltas.size()),
                      static_cast<std::uint32_t>(plan.for_policy.size())) < kPlanSlots;
  }
  bool corrupted() const { return corrupted_; }
  void reset();

 private:
  bool write_slots(const PlanHeader& header, const Delta* deltas, const std::uint64_t* words);

  Shared& shared_;
  std::uint64_t written_ = 0;
  std::uint32_t unannounced_ = 0;  // written since the target was last looked after
  bool corrupted_ = false;
};

class RecordRing {
 public:
  explicit RecordRing(Shared& shared) : shared_(shared) {}

  // The next records, as far as they lie in one piece; valid until they are passed. Empty when there is none.
  std::span<const Record> peek();
  // Passes the first so many of what peek() gave.
  void pass(std::size_t count) { read_ += count; }
  // Lets the target know how far was read; wakes it if it waits for that.
  void acknowledge();
  // The target is gone: what it wrote and had not yet shown can be read.
  void publish_for_the_dead();
  // Announces that we are about to sleep; null if there are records. The word holds 1 until then.
  std::atomic<std::uint32_t>* begin_wait();
  void end_wait() { shared_.executions.reader_sleeping.store(0); }
  bool corrupted() const { return corrupted_; }
  void reset();

 private:
  bool available();

  Shared& shared_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;  // the target's cursor as last seen
  std::uint64_t acknowledged_ = 0;
  bool corrupted_ = false;
};

}  // namespace heddle
