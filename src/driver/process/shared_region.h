// The driver's end of the memory shared with one worker (protocol/shared.h): the rings (rings.h), and whatever else the
// two sides exchange. The program under test can write into the region.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "driver/process/descriptor.h"
#include "driver/process/rings.h"
#include "protocol/shared.h"
#include "trace/modules.h"

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
  void set_places(const PointSet& points, const SpinSet& spins, const ChangedOrders& changed_orders) {
    shared_->points = points;
    shared_->spins = spins;
    shared_->changed_orders = changed_orders;
  }
  Status& status() { return shared_->status; }
  const Status& status() const { return shared_->status; }
  ModuleMap modules() const;
  std::uint32_t modules_at_start() const { return shared_->modules.at_start.load(std::memory_order_acquire); }
  const ChildNews& child_news() const { return shared_->child_news; }
  // Has a process that the program forked created a thread?
  bool threads_in_child() const { return child_news().threaded.state.load() == ChildNews::kWritten; }

  // As new, but for the config: for the next process. No process may be using the region.
  void reset();

  PlanRing& plans() { return plans_; }
  RecordRing& records() { return records_; }
  bool corrupted() const { return plans_.corrupted() || records_.corrupted(); }
  // Sleeps until there are records, but at most `limit` (and never longer than 50 ms).
  void wait(std::chrono::milliseconds limit);
  // The first of its two halves; RecordRing::end_wait() is the other.
  std::atomic<std::uint32_t>* begin_wait();
  // Why the target gave snapshots up; empty: it did not.
  std::string fallback() const;
  // The target is gone: what it had printed, and is not in the file.
  std::string take_held_output();

 private:
  SharedRegion(Descriptor descriptor, Shared* shared);

  Descriptor descriptor_;
  Shared* shared_;
  PlanRing plans_;
  RecordRing records_;
};

}  // namespace heddle
