// The driver's end of the memory shared with one worker (protocol/shared.h): plans go in, records come out.
//
// The program under test can write into the region. So the driver keeps its own copies of the cursors that it owns, and
// notices when the others make no sense (corrupted()).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "driver/process/descriptor.h"
#include "protocol/shared.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

class SharedRegion {
 public:
  // Null when there is no memory for it; `error` says why.
  static std::unique_ptr<SharedRegion> create(std::string& error);
  ~SharedRegion();
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  int descriptor() const { return descriptor_.get(); }
  Config& config() { return shared_->config; }
  PointSet& points() { return shared_->points; }
  Status& status() { return shared_->status; }
  const Status& status() const { return shared_->status; }
  ModuleMap modules() const;
  std::uint32_t modules_at_start() const { return shared_->modules.at_start.load(std::memory_order_acquire); }
  const ChildNews& child_news() const { return shared_->child_news; }

  // As new, but for the config: for the next process. No process may be using the region.
  void reset();

  // --- plans
  // False when there is no room now. The target is woken by flush(), or here once enough have come together.
  bool write(const Plan& plan);
  void flush();
  static bool fits(const Plan& plan) {
    return plan_slots(static_cast<std::uint32_t>(plan.deltas.size()),
                      static_cast<std::uint32_t>(plan.for_policy.size())) < kPlanSlots;
  }

  // --- records
  // The next records, as far as they lie in one piece; valid until they are passed. Empty when there is none.
  std::span<const Record> peek();
  // Passes the first so many of what peek() gave.
  void pass(std::size_t count) { read_ += count; }
  // Lets the target know how far was read; wakes it if it waits for that.
  void acknowledge();
  // The target is gone: what it wrote and had not yet shown can be read.
  void publish_for_the_dead();
  // Sleeps until there are records, but at most `limit` (and never longer than 50 ms).
  void wait(std::chrono::milliseconds limit);
  // Its two halves: announces that we are about to sleep; null if there are records. The word holds 1 until then.
  std::atomic<std::uint32_t>* begin_wait();
  void end_wait() { shared_->executions.reader_sleeping.store(0); }
  std::string fallback() const;
  // The target is gone: what it had printed, and is not in the file.
  std::string take_held_output();
  bool corrupted() const { return corrupted_; }

 private:
  SharedRegion(Descriptor descriptor, Shared* shared);
  bool available();
  bool write_slots(const PlanHeader& header, const Delta* deltas, const std::uint64_t* words);

  Descriptor descriptor_;
  Shared* shared_;
  std::uint64_t plans_written_ = 0;
  std::uint32_t unannounced_ = 0;  // plans written since the target was last looked after
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;  // the target's cursor as last seen
  std::uint64_t acknowledged_ = 0;
  bool corrupted_ = false;
};

}  // namespace heddle
