// See plan_reader.h.
#include "runtime/ring/plan_reader.h"

#include <time.h>

#include "model/choices.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/ring/split_points.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

struct ExecutionPlan {
  // The plan stays in the ring while its execution runs, and behind its end until the next one has been read: what both
  // share is looked at there. A copy in private memory would be written for every plan, and the page copied each time.
  // Where it is and how long is in shared memory, since it must survive a process that dies in the middle of it.
  std::uint32_t next_delta = 0;          // in the execution: the first that has not been asked for
  std::uint32_t delta_count = 0;         // of the present plan
  std::uint32_t next_step = UINT32_MAX;  // of that delta; the greatest number: there is none
};
constinit ExecutionPlan execution_plan{};

std::uint64_t present() { return runtime.shared->plans.read.load(std::memory_order_relaxed); }
std::uint64_t following() { return present() + runtime.shared->present_slots; }

PlanHeader header_at(std::uint64_t cursor) {
  PlanHeader header;
  __builtin_memcpy(static_cast<void*>(&header), &runtime.shared->plan_slot(cursor), sizeof header);
  return header;
}

// Of the plan whose header is at `cursor`.
Delta delta_at(std::uint64_t cursor, std::uint32_t index) {
  Delta result;
  const char* slot = reinterpret_cast<const char*>(&runtime.shared->plan_slot(cursor + 1 + index / kItemsPerSlot));
  __builtin_memcpy(static_cast<void*>(&result), slot + index % kItemsPerSlot * sizeof(Delta), sizeof result);
  return result;
}

bool deterministic(const PlanHeader& header) {
  return has_trait(header.policy, PolicyTrait::Determined) &&
         (header.flags & ~unsigned{PlanFlags::Memory | PlanFlags::Unfair | PlanFlags::Punctual}) == 0;
}

// How many steps two plans have in common: those before their first difference. 0 where nothing can be said.
std::uint32_t common_steps_of(std::uint64_t one, std::uint64_t other) {
  const PlanHeader a = header_at(one), b = header_at(other);
  if (!deterministic(a) || !deterministic(b) || rules_of(a) != rules_of(b)) return 0;
  for (std::uint32_t i = 0;; ++i) {
    const bool a_ends = i == a.delta_count, b_ends = i == b.delta_count;
    if (a_ends && b_ends) return UINT32_MAX;
    if (a_ends) return delta_at(other, i).step;
    if (b_ends) return delta_at(one, i).step;
    const Delta x = delta_at(one, i), y = delta_at(other, i);
    if (!(x == y)) return x.step < y.step ? x.step : y.step;
  }
}

void go_to_delta(std::uint32_t index) {
  execution_plan.next_delta = index;
  execution_plan.next_step = index < execution_plan.delta_count ? delta_at(present(), index).step : UINT32_MAX;
  look_ahead();
}

// Which of the first `count` deltas of a plan is the first at or behind a step? They ascend.
unsigned first_delta_from(std::uint64_t cursor, unsigned count, std::uint32_t step) {
  unsigned low = 0;
  while (low < count) {
    const unsigned middle = (low + count) / 2;
    if (delta_at(cursor, middle).step < step)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

// The first deltas of a plan lie in one stretch, or in two where the ring begins anew: visit(where, offset, bytes) as
// long as it returns true.
template <typename Visit>
bool each_stretch(std::uint64_t cursor, unsigned deltas, Visit visit) {
  const std::size_t bytes = deltas * sizeof(Delta);
  const std::size_t to_end = (kPlanSlots - ((cursor + 1) & (kPlanSlots - 1))) * sizeof(PlanSlot);
  const std::size_t first = bytes < to_end ? bytes : to_end;
  const auto at = [](std::uint64_t slot) { return reinterpret_cast<const char*>(&runtime.shared->plan_slot(slot)); };
  if (!visit(at(cursor + 1), 0, first)) return false;
  return first == bytes || visit(at(cursor + 1 + first / sizeof(PlanSlot)), first, bytes - first);
}

// What the plans that wait have in common, each looked at once. It holds as long as the plans were read one by one:
// others may have been run by another process in between.
struct PermanentWaiting {
  SplitPoints split_points;
  std::uint64_t first, last;  // where the first and the last of these plans are
};
HEDDLE_PERMANENT PermanentWaiting waiting = {};

void check_waiting() {
  if (waiting.split_points.size() == 0 || waiting.first != following()) {
    waiting.split_points.clear();
    waiting.first = following();
    waiting.last = present();
  }
  const std::uint64_t end = runtime.shared->plans.written.load(std::memory_order_acquire);
  while (waiting.split_points.size() < SplitPoints::kCapacity) {
    const std::uint64_t next = waiting.last + plan_slots(header_at(waiting.last));
    if (next >= end) return;
    waiting.split_points.push(common_steps_of(waiting.last, next));
    waiting.last = next;
  }
}

// The first one is about to become the present one.
void pass_waiting() {
  if (waiting.split_points.size() == 0 || waiting.first != following()) return waiting.split_points.clear();
  waiting.split_points.pop();
  waiting.first += plan_slots(header_at(waiting.first));
}

// Gives the slots of the present plan back to the driver; the following one becomes the present.
void give_back() {
  pass_waiting();
  auto& ring = runtime.shared->plans;
  ring.read.store(following(), std::memory_order_release);
  runtime.shared->present_slots = 0;
}

}  // namespace

PlanHeader await_plan() {
  auto& ring = runtime.shared->plans;
  auto& results = runtime.shared->executions;
  while (ring.written.load(std::memory_order_acquire) == following()) {
    // Before sleeping it wakes the driver, so that never both sleep.
    publish_records();
    if (results.reader_sleeping.exchange(0) != 0) os::futex_wake(&results.reader_sleeping, 1, true);
    ring.reader_sleeping.store(1);
    if (ring.written.load() == following()) {
      const timespec timeout{0, 50'000'000};
      os::futex_wait(&ring.reader_sleeping, 1, true, &timeout);
    }
    ring.reader_sleeping.store(0);
  }
  return header_at(following());
}

bool read_plan(std::uint32_t from_step) {
  const PlanHeader header = await_plan();
  give_back();
  const std::uint32_t slots = plan_slots(header);
  runtime.shared->present_slots = slots;
  execution_plan.delta_count = header.delta_count;
  std::uint32_t index = 0;
  while (index < execution_plan.delta_count && delta_at(present(), index).step < from_step) ++index;
  go_to_delta(index);
  return slots <= kPlanSlots;
}

void unread_plan() { runtime.shared->present_slots = 0; }

const PlanHeader& plan() { return reinterpret_cast<const PlanHeader&>(runtime.shared->plan_slot(present())); }

std::uint32_t planned_deltas() { return execution_plan.delta_count; }
Delta planned_delta(std::uint32_t index) { return delta_at(present(), index); }

// The program may have written over the number of words since.
std::uint32_t policy_words() {
  const PlanHeader header = header_at(present());
  return plan_slots(header) == runtime.shared->present_slots ? header.policy_words : 0;
}

std::uint64_t policy_word(std::uint32_t index) {
  const std::uint64_t slot = present() + 1 + item_slots(execution_plan.delta_count) + index / kItemsPerSlot;
  std::uint64_t word = 0;
  __builtin_memcpy(&word, &runtime.shared->plan_slot(slot).bytes[index % kItemsPerSlot * sizeof word], sizeof word);
  return word;
}

std::uint32_t next_planned_step() { return execution_plan.next_step; }

void abandon_plan() { go_to_delta(execution_plan.delta_count); }

bool planned_choice(std::uint32_t step, Choice& choice) {
  while (execution_plan.next_step < step) go_to_delta(execution_plan.next_delta + 1);
  if (execution_plan.next_step != step || execution_plan.next_delta == execution_plan.delta_count) return false;
  choice = delta_at(present(), execution_plan.next_delta).choice;
  go_to_delta(execution_plan.next_delta + 1);
  return true;
}

bool plans_timeout(std::uint32_t step) {
  while (execution_plan.next_step < step) go_to_delta(execution_plan.next_delta + 1);
  if (execution_plan.next_step != step || execution_plan.next_delta == execution_plan.delta_count) return false;
  const Choice planned = delta_at(present(), execution_plan.next_delta).choice;
  if (!has_trait(plan().policy, PolicyTrait::Orders)) return planned.variant == kTimeout;
  return model::going_on(*runtime.world, planned.task).variant == kTimeout;
}

std::uint32_t common_steps() {
  if (runtime.shared->present_slots == 0) return 0;
  check_waiting();
  return waiting.split_points.first();
}

unsigned find_split_points(std::uint32_t beyond, SplitPoint* split_points, unsigned capacity) {
  check_waiting();
  return waiting.split_points.find(beyond, split_points, capacity);
}

unsigned planned_before(std::uint32_t step) { return first_delta_from(present(), execution_plan.delta_count, step); }

void copy_planned(char* to, unsigned deltas) {
  each_stretch(present(), deltas, [&](const char* from, std::size_t offset, std::size_t bytes) {
    __builtin_memcpy(to + offset, from, bytes);
    return true;
  });
}

bool next_plan_begins_with(std::uint32_t rules, const char* way, unsigned deltas, std::uint32_t step) {
  const PlanHeader next = header_at(following());
  if (!deterministic(next) || rules_of(next) != rules || next.delta_count < deltas) return false;
  const bool same = each_stretch(following(), deltas, [&](const char* own, std::size_t offset, std::size_t bytes) {
    return __builtin_memcmp(way + offset, own, bytes) == 0;
  });
  return same && (next.delta_count == deltas || delta_at(following(), deltas).step >= step);
}

bool plan_is_deterministic() { return deterministic(plan()); }

}  // namespace heddle::runtime
