// Fair scheduling; see fairness.h.
#include "model/fairness.h"

namespace heddle::model {

void Fairness::create(Allocate allocate) { allocate_ = allocate; }

void Fairness::remove_edges(TaskId to, std::uint32_t words) {
  for_each(*owners_, words, [&](TaskId owner) {
    marks_[owner].edges->remove(to);
    for (std::uint32_t i = 0; i < words; ++i)
      if (marks_[owner].edges->words[i] != 0) return;
    owners_->remove(owner);
    --owners_count_;
  });
}

void Fairness::on_disabled(TaskId task, TaskId by) {
  if (by == kNoTask || by == task || !marks_[by].yielded) return;
  marks_[by].disabled->add(task);
  marks_[by].has_disabled = true;
}

void Fairness::on_yield(TaskId task, std::uint32_t step, const TaskSet& enabled, std::uint32_t words) {
  Marks& own = marks_[task];
  if (owners_ == nullptr) owners_ = static_cast<TaskSet*>(allocate_(sizeof(TaskSet)));
  if (own.edges == nullptr) {
    own.edges = static_cast<TaskSet*>(allocate_(sizeof(TaskSet)));
    own.disabled = static_cast<TaskSet*>(allocate_(sizeof(TaskSet)));
  }
  if (own.yielded) {
    bool added = false;
    for (std::uint32_t i = 0; i < words; ++i) {
      std::uint64_t candidates = enabled.words[i] | (own.has_disabled ? own.disabled->words[i] : 0);
      for (; candidates != 0; candidates &= candidates - 1) {
        const auto other = static_cast<TaskId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(candidates)));
        if (other == task || marks_[other].scheduled_step > own.yield_step) continue;
        const bool enabled_throughout = enabled.has(other) && marks_[other].enabled_since <= own.yield_step;
        const bool disabled_by_it = own.has_disabled && own.disabled->has(other);
        if (!enabled_throughout && !disabled_by_it) continue;
        own.edges->add(other);
        added = true;
      }
    }
    if (added && !owners_->has(task)) {
      owners_->add(task);
      ++owners_count_;
    }
  }
  if (own.has_disabled)
    for (std::uint32_t i = 0; i < words; ++i) own.disabled->words[i] = 0;
  own.has_disabled = false;
  own.yielded = true;
  own.yield_step = step;
}

bool Fairness::held_back(TaskId task, const TaskSet& enabled, std::uint32_t words) const {
  if (owners_count_ == 0 || !owners_->has(task)) return false;
  for (std::uint32_t i = 0; i < words; ++i)
    if ((marks_[task].edges->words[i] & enabled.words[i]) != 0) return true;
  return false;
}

}  // namespace heddle::model
