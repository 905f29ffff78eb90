// See relatives.h.
#include "runtime/world/relatives.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "model/interrupts.h"
#include "protocol/shared.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/runtime.h"
#include "runtime/world/progress.h"

namespace heddle::runtime {
namespace {

using Relative = Relatives::Relative;

constexpr int kNowhere = -1;
// So long one that does not rest is waited for, as often as it seems asleep or by what it computes (hundredths of a
// second of the processor); and so long once that was in vain, until it rests again.
constexpr int kChecksAsleep = 120, kFewChecksAsleep = 5;
constexpr long kMaxTicks = 50, kFewTicks = 1;
constexpr Nanoseconds kLongestPause = 500'000;

struct Patience {
  int first_ticks = 0;
  std::uint8_t asleep = 0;
  bool begun = false, given_up = false;
  std::int32_t gone = 0;  // the process that is known to have ended
};

struct ProcessRelatives {
  int place = kNowhere;
  Nanoseconds rest_began_at = 0;
  int of_child = kNowhere;  // the place that waits for the child of the fork that is being made
  Patience patience[Relatives::kMax] = {};
};
constinit ProcessRelatives process_relatives{};

Relatives& all() { return runtime.shared->relatives; }
Relative& at(int place) { return all().all[place]; }

// Null: this process has no place. A child of a raw fork() has a copy of its parent's.
Relative* own() {
  if (runtime.shared == nullptr || process_relatives.place == kNowhere) return nullptr;
  Relative& relative = at(process_relatives.place);
  return relative.process.load(std::memory_order_relaxed) == os::process_id() ? &relative : nullptr;
}

int place_of(int process) {
  if (runtime.shared == nullptr) return kNowhere;
  for (int place = 0; place < static_cast<int>(Relatives::kMax); ++place)
    if (at(place).process.load() == process) return place;
  return kNowhere;
}

bool is_gone(int process) { return process > 0 && os::system_call(SYS_kill, process, 0) == -ESRCH; }

int take_place(std::int32_t process) {
  for (int place = 0; place < static_cast<int>(Relatives::kMax); ++place) {
    std::int32_t before = at(place).process.load();
    if (before != Relatives::kFree && !is_gone(before)) continue;
    if (!at(place).process.compare_exchange_strong(before, process)) continue;
    at(place).rests.store(0);
    at(place).now.store(runtime.world->clock().now());
    process_relatives.patience[place] = {};
    return place;
  }
  return kNowhere;
}

// A process that ends poses no question, though what it did last may let others go on that have looked before. So who
// sees that it is gone poses one. Is this the first time?
bool is_news(Patience& patience, std::int32_t gone) {
  if (patience.gone == gone) return false;
  patience.gone = gone;
  all().question.fetch_add(1);
  return true;
}

// It has not rested so far. Is it waited for any longer?
bool is_waited_for(int place, int process) {
  Patience& patience = process_relatives.patience[place];
  const Progress progress = process == Relatives::kExpected ? Progress{.alive = true} : progress_of_one(process);
  if (!progress.alive) return is_news(patience, process);
  if (!patience.begun) {
    patience.begun = true;
    patience.first_ticks = static_cast<int>(progress.ticks);
    patience.asleep = 0;
  }
  const int checks = patience.given_up ? kFewChecksAsleep : kChecksAsleep;
  const long ticks = patience.given_up ? kFewTicks : kMaxTicks;
  if (progress.busy)
    patience.asleep = 0;
  else if (patience.asleep < checks)
    ++patience.asleep;
  const bool longer = progress.ticks - patience.first_ticks < ticks && patience.asleep < checks;
  if (!longer) patience.given_up = true;
  return longer;
}

void catch_up() {
  runtime.world->advance_clock(all().time.load());
  show_time();
}

}  // namespace

void expect_child() {
  if (runtime.shared == nullptr) return;
  if (own() == nullptr) process_relatives.place = take_place(os::process_id());
  show_time();
  process_relatives.of_child = take_place(Relatives::kExpected);
}

void enter_relatives() {
  process_relatives.place = process_relatives.of_child;
  process_relatives.of_child = kNowhere;
  for (Patience& patience : process_relatives.patience) patience = {};
  if (process_relatives.place != kNowhere) at(process_relatives.place).process.store(os::process_id());
}

void child_is_known(long child) {
  const int place = process_relatives.of_child;
  process_relatives.of_child = kNowhere;
  if (place == kNowhere || child == 0) return;
  std::int32_t expected = Relatives::kExpected;
  at(place).process.compare_exchange_strong(expected, child < 0 ? Relatives::kFree : static_cast<std::int32_t>(child));
}

void forget_relatives() {
  if (config.isolation == IsolationKind::Exec || all().question.load() == 0) return;
  for (Relative& relative : all().all) relative.process.store(Relatives::kFree);
  all().question.store(0);
  all().time.store(0);
}

bool has_timed_relatives() {
  if (own() == nullptr) return false;
  for (int place = 0; place < static_cast<int>(Relatives::kMax); ++place)
    if (place != process_relatives.place && at(place).process.load() != Relatives::kFree) return true;
  return false;
}

void show_time() {
  if (process_relatives.place == kNowhere) return;
  if (Relative* const self = own()) self->now.store(runtime.world->clock().now());
}

void catch_up_with(int process) {
  const int place = place_of(process);
  if (place == kNowhere || own() == nullptr) return;
  runtime.world->advance_clock(at(place).now.load());
  show_time();
}

void catch_up_with_all() {
  if (own() != nullptr) catch_up();
}

void forget_relative(int process) {
  std::int32_t known = process;
  if (const int place = place_of(process); place != kNowhere && is_gone(process))
    at(place).process.compare_exchange_strong(known, Relatives::kFree);
}

void begin_to_rest(Nanoseconds until) {
  Relative* const self = own();
  if (self == nullptr) return;
  process_relatives.rest_began_at = runtime.world->clock().now();
  self->until.store(until);
  self->answered.store(all().question.fetch_add(1));  // the question before this one
  self->rests.store(1);
  for (Patience& patience : process_relatives.patience) patience.begun = false;
}

void ask_relatives() {
  if (has_timed_relatives()) all().question.fetch_add(1);
}

std::uint32_t present_question() { return runtime.shared == nullptr ? 0 : all().question.load(); }

void looked_in_vain(std::uint32_t question) {
  if (Relative* const self = own()) self->answered.store(question);
}

void end_rest(bool by_other) {
  Relative* const self = own();
  if (self == nullptr) return;
  const Nanoseconds until = self->until.load();
  if (by_other) {
    catch_up();
    if (runtime.world->clock().now() > process_relatives.rest_began_at) model::note_waits(*runtime.world);
  } else if (until != kNoDeadline) {
    if (until > all().time.load()) all().time.store(until);
    if (until > self->now.load()) self->now.store(until);
  }
  self->rests.store(0);
}

bool may_pass_to(Nanoseconds until) {
  const std::uint32_t question = present_question();
  for (int place = 0; place < static_cast<int>(Relatives::kMax); ++place) {
    Relative& other = at(place);
    const std::int32_t process = other.process.load();
    if (process == Relatives::kFree || place == process_relatives.place) continue;
    const bool rests = other.rests.load() != 0 && other.answered.load() == question;
    if (rests) process_relatives.patience[place].given_up = false;
    const Nanoseconds its = other.until.load();
    const bool goes_later = its > until || (its == until && (until == kNoDeadline || place > process_relatives.place));
    if (rests && goes_later) continue;
    if (is_waited_for(place, process)) return false;
  }
  return present_question() == question;
}

void let_relatives_go_on(Nanoseconds until) {
  if (!has_timed_relatives()) return;
  const Nanoseconds before = all().time.load();
  begin_to_rest(until);
  for (Nanoseconds pause = kFirstPauseInRest;; pause_in_rest(pause)) {
    looked_in_vain(present_question());
    if ((all().time.load() != before || may_pass_to(until)) && may_pass_to(0)) break;
  }
  end_rest(true);
}

void pause_in_rest(Nanoseconds& pause) {
  const timespec time{0, pause};
  os::system_call(SYS_nanosleep, reinterpret_cast<long>(&time), 0);
  if (pause < kLongestPause) pause *= 2;
  beat();
}

}  // namespace heddle::runtime
