// How a record gets into the ring: inline, because every step does it.
#pragma once

#include <cstddef>

#include "model/world.h"
#include "protocol/checksum.h"
#include "protocol/records.h"
#include "protocol/shared.h"
#include "runtime/os/context.h"
#include "runtime/state/runtime.h"
#include "runtime/state/time_base.h"

namespace heddle::runtime {

// The ring is full: waits until the driver has read something.
void wait_for_room();

// Where in the ring an execution lies, and when it is full, depends on what was run before: what that leads to must
// leave nothing on the stack of a task, which may read there what it has not written.
[[gnu::always_inline]] inline void wait_for_room_unseen() {
  if (!is_unseen()) return call_unseen(wait_for_room);
  wait_for_room();
}

// Room for record number `number`, the next one.
[[gnu::always_inline]] inline Record& room_for(Shared& shared, std::uint64_t number) {
  const auto& ring = shared.executions;
  if (__builtin_expect(number - ring.read.load(std::memory_order_acquire) == ring.slots, 0)) wait_for_room_unseen();
  return shared.record(number);
}

// That one is there. `sum` is that of its words, as they were meant to be.
[[gnu::always_inline]] inline void close_record(Shared& shared, std::uint64_t number, std::uint64_t sum) {
  constexpr std::uint64_t kPublishEvery = 256;  // records; a power of two
  auto& all = shared.status.sum;
  all.store(all.load(std::memory_order_relaxed) + sum, std::memory_order_relaxed);
  shared.status.drafted.store(number + 1, std::memory_order_release);
  // Each publication takes the driver's processor the cursor's cache line: long executions are published in parts.
  if (__builtin_expect(((number + 1) & (kPublishEvery - 1)) == 0, 0))
    shared.executions.written.store(number + 1, std::memory_order_release);
}

struct StepWords {
  std::uint64_t first, objects, site, last;
};

// In place, and in words: a copy of what was just written in parts stalls.
[[gnu::always_inline]] inline void put_step(Shared& shared, const StepWords& step) {
  static_assert(offsetof(StepRecord, flags) == 2 && offsetof(StepRecord, marks) == 3 &&
                offsetof(StepRecord, task) == 4 && offsetof(StepRecord, variant) == 6 &&
                offsetof(StepRecord, object) == 8 && offsetof(StepRecord, object2) == 12 &&
                offsetof(StepRecord, site) == 16 && offsetof(StepRecord, result) == 24 &&
                offsetof(StepRecord, variants) == 28 && offsetof(StepRecord, eligible) == 30);
  const std::uint64_t number = shared.status.drafted.load(std::memory_order_relaxed);
  auto* const words = reinterpret_cast<std::uint64_t*>(&room_for(shared, number));
  words[0] = step.first;
  words[1] = step.objects;
  words[2] = step.site;
  words[3] = step.last;
  close_record(shared, number, (step.first + step.objects) + (step.site + step.last));
}

// A step for which no operation was published (fast_step.h): neither a preemption nor another task than before, so the
// rest of Status stays as it is.
[[gnu::always_inline]] inline void record_step_at_once(const StepWords& step) {
  Shared& shared = *runtime.shared;
  const model::World& world = *runtime.world;
  put_step(shared, step);
  shared.status.virtual_time.store(world.clock().now() - kTimeBase, std::memory_order_relaxed);
}

}  // namespace heddle::runtime
