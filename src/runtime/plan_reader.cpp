// See plan_reader.h.
#include "runtime/plan_reader.h"

#include <time.h>

#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

PlanHeader header;
Delta* deltas = nullptr;  // room for as many as the ring can hold
std::uint32_t next_delta = 0;

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
  constexpr std::size_t kCapacity = std::size_t{kPlanSlots} * kDeltasPerSlot;
  if (deltas == nullptr) deltas = static_cast<Delta*>(os::reserve(kCapacity * sizeof(Delta)));
  if (deltas == nullptr) return false;
  wait_for_plan();
  auto& ring = runtime.shared->plans;
  std::uint64_t cursor = ring.read.load();
  __builtin_memcpy(static_cast<void*>(&header), &ring.at(cursor), sizeof header);
  if (header.delta_count > kCapacity) return false;
  const std::uint32_t slots = plan_slots(header.delta_count);
  for (std::uint32_t i = 1; i < slots; ++i)
    __builtin_memcpy(static_cast<void*>(deltas + std::size_t{i - 1} * kDeltasPerSlot), &ring.at(cursor + i), sizeof(PlanSlot));
  ring.read.store(cursor + slots, std::memory_order_release);
  if (ring.writer_sleeping.exchange(0) != 0) os::futex_wake(&ring.writer_sleeping, 1, true);
  next_delta = 0;
  return (header.flags & PlanFlags::Stop) == 0;
}

const PlanHeader& plan() { return header; }

bool planned_choice(std::uint32_t step, Choice& choice) {
  while (next_delta < header.delta_count && deltas[next_delta].step < step) ++next_delta;
  if (next_delta == header.delta_count || deltas[next_delta].step != step) return false;
  choice = deltas[next_delta++].choice;
  return true;
}

}  // namespace heddle::runtime
