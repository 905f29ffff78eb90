// See plan_reader.h.
#include "runtime/plan_reader.h"

#include <time.h>

#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kCapacity = std::size_t{kPlanSlots} * kDeltasPerSlot;  // as many deltas as the ring can hold

// In memory that zygote and executions share: the zygote writes it for every plan, and a private page would be copied
// each time, because the last child had it too.
struct Current {
  PlanHeader header;
  std::uint32_t next_delta = 0;
  Delta deltas[kCapacity];
};
Current* current = nullptr;

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
  if (current == nullptr) current = static_cast<Current*>(os::reserve_shared(sizeof(Current)));
  if (current == nullptr) return false;
  PlanHeader& header = current->header;
  wait_for_plan();
  auto& ring = runtime.shared->plans;
  std::uint64_t cursor = ring.read.load();
  __builtin_memcpy(static_cast<void*>(&header), &runtime.shared->plan_slot(cursor), sizeof header);
  if (header.delta_count > kCapacity) return false;
  const std::uint32_t slots = plan_slots(header.delta_count);
  for (std::uint32_t i = 1; i < slots; ++i)
    __builtin_memcpy(static_cast<void*>(current->deltas + std::size_t{i - 1} * kDeltasPerSlot),
                     &runtime.shared->plan_slot(cursor + i), sizeof(PlanSlot));
  ring.read.store(cursor + slots, std::memory_order_release);
  if (ring.writer_sleeping.exchange(0) != 0) os::futex_wake(&ring.writer_sleeping, 1, true);
  current->next_delta = 0;
  return (header.flags & PlanFlags::Stop) == 0;
}

const PlanHeader& plan() { return current->header; }

bool planned_choice(std::uint32_t step, Choice& choice) {
  const std::uint32_t count = current->header.delta_count;
  std::uint32_t& next = current->next_delta;
  while (next < count && current->deltas[next].step < step) ++next;
  if (next == count || current->deltas[next].step != step) return false;
  choice = current->deltas[next++].choice;
  return true;
}

}  // namespace heddle::runtime
