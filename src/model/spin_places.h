// Loops that wait without yielding. The driver has found them in executions that did not end, and names a place in each
// (SpinSet in protocol/places.h). A task yields when it comes there again, for the same object and after no more steps
// of its own than a round has, as if the program had yielded. The first visit is not a round.
//
// Only the task's own steps decide, so equivalent executions yield at the same places.
//
// The set has the places of services, too (protocol/services.h): a timed wait there is one of a thread that wakes again
// and again.
#pragma once

#include <cstdint>

#include "model/table.h"
#include "model/task.h"
#include "protocol/services.h"

namespace heddle::model {

struct SpinPlace {
  Site site = 0;
  std::uint32_t period = 0;
};

class SpinPlaces {
 public:
  void create(Allocate allocate) { allocate_ = allocate; }
  // `places` must stay as they are.
  void watch(const SpinPlace* places, std::uint32_t count);
  bool may_be(Site site) const { return __builtin_expect(mask_ != 0, 0) && (mask_ >> bit(site) & 1) != 0; }
  // To be asked once for each operation that is published, where it may be one: has the task come round?
  // `own_steps`: how many it has taken.
  bool comes_round(Task& task, std::uint32_t own_steps) const;
  // Is its pending wait for a time that of a periodic waker? And is it a service, as the
  // user has said, or as a schedule has shown?
  bool ticks(const Task& task) const { return is_wait_at(task, kTickPeriod) || is_service(task); }
  bool is_service(const Task& task) const { return is_declared(task) || is_wait_at(task, kSeenServicePeriod); }
  bool is_declared(const Task& task) const { return is_wait_at(task, kServicePeriod); }

 private:
  static unsigned bit(Site site) { return static_cast<unsigned>(site ^ site >> 6) & 63; }
  bool is_wait_at(const Task& task, std::uint32_t period) const {
    return may_be(task.pending.site) && task.pending.deadline != kNoDeadline && has(task.pending.site, period);
  }
  bool has(Site site, std::uint32_t period) const;

  Allocate allocate_ = nullptr;
  const SpinPlace* places_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint64_t mask_ = 0;  // which bits the sites of these have
};

}  // namespace heddle::model
