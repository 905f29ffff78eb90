// See closing.h.
#include "runtime/system_calls/closing.h"

#include <fcntl.h>

#include <algorithm>

#include "runtime/calls/files.h"
#include "runtime/calls/waiting.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/world/undo_descriptors.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMaxUndecided = 6;  // so many calls are tried in all ways; more are inside
constexpr long kNumbers = 4096;        // of those beyond nothing is known

bool uses(const Waiting& waiting, long number) {
  const bool named = waiting.names != nullptr ? waiting.names(waiting, number) : waiting.number == number;
  return named && !waiting.held->has(number);
}

// The next one from `number` on that the call has named; past the last one: there is none.
long next_used(const Waiting& waiting, NumberRange numbers, long number) {
  const bool one = waiting.names == nullptr;
  if (one) number = std::max<long>(number, waiting.number);
  const long last = one ? std::min<long>(numbers.last, waiting.number) : numbers.last;
  while (number <= last && !uses(waiting, number)) ++number;
  return number <= last ? number : numbers.last + 1;
}

// What changes for those who stand there: numbers that are closed, or the flags of an open file.
struct Change : model::Closing {
  NumberRange numbers{0, -1};
  ObjectId file = kNoObject;
};

bool concerns(const Change& change, const Waiting& waiting, TaskId task) {
  if (change.file == kNoObject) return next_used(waiting, change.numbers, change.numbers.first) <= change.numbers.last;
  return waiting.number >= 0 && waiting.names == nullptr && runtime.world->task(task).pending.object == change.file;
}

// The call of a task that stands there; null: it does not.
Waiting* user_of(const Change& change, TaskId task) {
  Waiting* const waiting = waiting_of(task);
  if (waiting == nullptr || waiting->held == nullptr || waiting->comes_late) return nullptr;
  return concerns(change, *waiting, task) ? waiting : nullptr;
}

// A call that does not block looks the number up when it is made: what it would have done inside it does before.
bool is_undecided(const Waiting& waiting) { return !waiting.held->has_begun && !waiting.never_blocks; }

std::uint16_t ways_to_change(const model::Closing& closing) {
  const auto& change = static_cast<const Change&>(closing);
  unsigned undecided = 0;
  for (std::uint32_t i = 0; i < runtime.world->population().task_count() && undecided < kMaxUndecided; ++i) {
    const Waiting* const waiting = user_of(change, static_cast<TaskId>(i));
    if (waiting != nullptr && is_undecided(*waiting)) ++undecided;
  }
  return static_cast<std::uint16_t>(1u << undecided);
}

bool hold_all(Waiting& waiting, NumberRange numbers) {
  for (long number = numbers.first; (number = next_used(waiting, numbers, number)) <= numbers.last; ++number) {
    if (!waiting.held->hold(number)) return false;
    if (waiting.descriptor == number) waiting.descriptor = static_cast<int>(waiting.held->of(number));
  }
  waiting.held->has_begun = true;
  return true;
}

bool is_late(unsigned late, unsigned place) { return place < kMaxUndecided && (late >> place & 1) != 0; }

// `late`: a bit for each that is undecided.
void decide_for_users(const Change& change, unsigned late) {
  unsigned place = 0;
  for (std::uint32_t i = 0; i < runtime.world->population().task_count(); ++i) {
    Waiting* const waiting = user_of(change, static_cast<TaskId>(i));
    if (waiting == nullptr) continue;
    if (waiting->never_blocks)
      waiting->comes_late = true;
    else
      waiting->comes_late = (is_undecided(*waiting) && is_late(late, place++)) || !hold_all(*waiting, change.numbers);
  }
}

// The alternative that was taken.
unsigned take_step_of(Change& change, long descriptor, Site site) {
  change.ways = ways_to_change;
  const int ended = take_step_on(on_descriptor(OperationKind::DescriptorControl, descriptor, site), &change);
  return ended == 0 ? runtime.world->task(runtime.current).variant : 0;
}

}  // namespace

void take_closing_step(NumberRange numbers, long descriptor, bool is_step, Site site) {
  Change change;
  change.numbers = {std::max<long>(numbers.first, 0), std::min<long>(numbers.last, kNumbers - 1)};
  decide_for_users(change, is_step ? take_step_of(change, descriptor, site) : 0);
}

void take_flags_step(long descriptor, Site site) {
  Change change;
  change.file = object_of(descriptor, site);
  decide_for_users(change, take_step_of(change, descriptor, site));
}

}  // namespace heddle::runtime
