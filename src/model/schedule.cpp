// See schedule.h.
#include "model/schedule.h"

namespace heddle::model {
namespace {

// So many tasks fit into the sets as they are made at first: what a snapshot copies is little then.
constexpr std::uint32_t kSmallSet = 512;

TaskSet* enlarged(const TaskSet* set, Allocate allocate) {
  auto* made = static_cast<TaskSet*>(allocate(sizeof(TaskSet)));
  for (std::uint32_t i = 0; i < kSmallSet / 64; ++i) made->words[i] = set->words[i];
  return made;
}

}  // namespace

void Schedule::create(Allocate allocate, const Limits& limits) {
  limits_ = limits;
  allocate_ = allocate;
  enabled_ = static_cast<TaskSet*>(allocate(kSmallSet / 8));
  eligible_ = static_cast<TaskSet*>(allocate(kSmallSet / 8));
  fairness_.create(allocate);
}

void Schedule::add_task(Task& task, TaskId id) {
  const std::uint32_t count = id + 1u;
  // The word after the last task's is read, too.
  if (count == kSmallSet - 64) {
    enabled_ = enlarged(enabled_, allocate_);
    eligible_ = enlarged(eligible_, allocate_);
  }
  words_ = count / 64 + 1;
  fairness_.add_task(id, allocate_);
  set_state(task, id, kGo);
}

void Schedule::begin_branching() {
  branching_ = true;
  steps_.begin_counting();
  update_calm();
}

void Schedule::end_branching(TaskId survivor) {
  branching_ = false;
  steps_.went_on(survivor);
  update_calm();
}

void Schedule::on_yield(Task& task, TaskId id) {
  fairness_.on_yield(id, steps_.count(), *enabled_, words_);
  if (task.yields != 0xff) ++task.yields;
  changes_.note(task, id);
  update_calm();
}

[[gnu::noinline]] void Schedule::set_able(Task& task, TaskId id, bool able) {
  const std::uint8_t state = able ? kGo : 0;
  if (task.state != (able ? std::uint8_t{0} : kGo)) return set_state(task, id, state);
  task.state = state;
  changes_.note(task, id);
  if (able) {
    eligible_->add(id);
    enabled_->add(id);
    ++eligible_count_;
    ++enabled_count_;
    fairness_.on_enabled(id, steps_.count());
  } else {
    eligible_->remove(id);
    enabled_->remove(id);
    --eligible_count_;
    --enabled_count_;
    fairness_.on_disabled(id, steps_.stepping());
  }
}

void Schedule::set_state(Task& task, TaskId id, std::uint8_t state) {
  const std::uint8_t before = task.state;
  if (state == before) return;
  task.state = state;
  changes_.note(task, id);
  const std::uint8_t flipped = before ^ state;
  if ((flipped & TaskState::Eligible) != 0) {
    const bool now = (state & TaskState::Eligible) != 0;
    now ? eligible_->add(id) : eligible_->remove(id);
    eligible_count_ += now ? 1u : ~0u;
  }
  if ((flipped & TaskState::Enabled) == 0) return;
  const bool now = (state & TaskState::Enabled) != 0;
  now ? enabled_->add(id) : enabled_->remove(id);
  enabled_count_ += now ? 1u : ~0u;
  now ? fairness_.on_enabled(id, steps_.count()) : fairness_.on_disabled(id, steps_.stepping());
}

TaskId Schedule::lowest_eligible(TaskId besides) const {
  for (std::uint32_t i = 0; i < words_; ++i) {
    const std::uint64_t left_out = besides / 64u == i ? std::uint64_t{1} << besides % 64 : 0;
    if (const std::uint64_t word = eligible_->words[i] & ~left_out; word != 0)
      return static_cast<TaskId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(word)));
  }
  return kNoTask;
}

bool Schedule::update_only_timeouts() {
  const bool before = only_timeouts_;
  only_timeouts_ = nothing_enabled();
  return only_timeouts_ || before;
}

// While there are edges, and once more when the last one has gone.
bool Schedule::update_edges() {
  const bool before = had_edges_;
  had_edges_ = fairness_.any_edges();
  return had_edges_ || before;
}

void Schedule::update_calm() {
  calm_ = branching_ && limits_.spurious_wakeups == 0 && !only_timeouts_ && !had_edges_ && !fairness_.any_edges();
}

}  // namespace heddle::model
