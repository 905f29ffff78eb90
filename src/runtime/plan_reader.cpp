// See plan_reader.h.
#include "runtime/plan_reader.h"

#include <time.h>

#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

// The plan stays in the ring while its execution runs and is read there, by zygote and child alike: a copy in private
// memory would be written for every plan, and the page copied each time, because the last child had it too.
std::uint64_t begin = 0;       // the cursor of its header
std::uint32_t slots = 0;       // of the present plan; 0: there is none
std::uint32_t next_delta = 0;  // in the execution: the first that has not been asked for

Delta delta(std::uint32_t index) {
  Delta result;
  const char* slot = reinterpret_cast<const char*>(&runtime.shared->plan_slot(begin + 1 + index / kDeltasPerSlot));
  __builtin_memcpy(static_cast<void*>(&result), slot + index % kDeltasPerSlot * sizeof(Delta), sizeof result);
  return result;
}

// Gives the slots of the last plan back to the driver.
void give_back() {
  auto& ring = runtime.shared->plans;
  ring.read.store(begin + slots, std::memory_order_release);
  if (ring.writer_sleeping.exchange(0) != 0) os::futex_wake(&ring.writer_sleeping, 1, true);
  begin += slots;
  slots = 0;
}

// Sleeps until there is a plan; wakes the driver first, so that never both sleep.
void wait_for_plan() {
  auto& ring = runtime.shared->plans;
  auto& results = runtime.shared->executions;
  while (ring.written.load(std::memory_order_acquire) == ring.read.load(std::memory_order_relaxed)) {
    if (results.reader_sleeping.exchange(0) != 0) os::futex_wake(&results.reader_sleeping, 1, true);
    ring.reader_sleeping.store(1);
    if (ring.written.load() == ring.read.load()) {
      const timespec timeout{0, 50'000'000};
      os::futex_wait(&ring.reader_sleeping, 1, true, &timeout);
    }
    ring.reader_sleeping.store(0);
  }
}

}  // namespace

bool read_plan() {
  if (slots != 0) give_back();
  wait_for_plan();
  begin = runtime.shared->plans.read.load();
  slots = plan_slots(plan().delta_count);
  next_delta = 0;
  return slots <= kPlanSlots && (plan().flags & PlanFlags::Stop) == 0;
}

PlanHeader plan() {
  PlanHeader header;
  __builtin_memcpy(static_cast<void*>(&header), &runtime.shared->plan_slot(begin), sizeof header);
  return header;
}

bool planned_choice(std::uint32_t step, Choice& choice) {
  static std::uint32_t count = 0;
  if (next_delta == 0) count = plan().delta_count;
  while (next_delta < count && delta(next_delta).step < step) ++next_delta;
  if (next_delta == count) return false;
  const Delta next = delta(next_delta);
  if (next.step != step) return false;
  choice = next.choice;
  ++next_delta;
  return true;
}

}  // namespace heddle::runtime
