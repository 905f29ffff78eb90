// See distinctions.h.
#include "search/distinctions.h"

#include <algorithm>

namespace heddle {
namespace {

// Does the operation name a thread, and may it tell that one from others?
bool names_thread(OperationKind kind) {
  return kind == OperationKind::ThreadTryJoin || kind == OperationKind::ThreadCancel ||
         kind == OperationKind::SignalSend;
}

}  // namespace

bool Distinctions::find(const Execution& execution) {
  found_ = false;
  names_.of(execution);
  if (!names_.any_alike()) return false;
  joining_.clear();
  for (const ExecutionMessage& message : execution.messages)
    if (message.kind == MessageKind::ToldApart) tell_apart(message.task);
  for (const StepRecord& step : execution.steps) on_step(execution, step);
  if (found_) names_ = TaskNames(&told_apart_);
  return found_;
}

void Distinctions::on_step(const Execution& execution, const StepRecord& step) {
  if (step.operation == OperationKind::ThreadJoin) return on_join(execution, step);
  if (!joining_.empty()) on_other_step(step.task);
  if (step.operation == OperationKind::ThreadCreate) return tell_apart(step.task);
  if (!names_thread(step.operation)) return;
  const bool own = step.task < execution.tasks.size() && execution.tasks[step.task].object == step.object;
  if (own) return;  // it ends by abort(), as any other in its place would
  if (step.object != kNoObject) return tell_apart(first_of_thread(execution, step.object));
  found_ = found_ || !told_apart_.all();  // a signal for the process that nobody takes yet: any of them may
  told_apart_.add_all();
}

void Distinctions::on_join(const Execution& execution, const StepRecord& step) {
  const TaskId first = first_of_thread(execution, step.object);
  if (first == kNoTask) return;
  if (step.result != 0 || step.variant != 0 || step.task != execution.tasks[first].parent) return tell_apart(first);
  auto known = std::find_if(joining_.begin(), joining_.end(), [&](const Joining& one) { return one.first == first; });
  if (known == joining_.end()) known = joining_.insert(known, {first, step.task, step.site, names_.size(first)});
  if (known->place != step.site) return tell_apart(first);
  if (--known->left == 0) joining_.erase(known);
}

void Distinctions::on_other_step(TaskId task) {
  const auto is_apart = [&](const Joining& one) { return one.creator == task; };
  for (const Joining& one : joining_)
    if (is_apart(one)) tell_apart(one.first);
  std::erase_if(joining_, is_apart);
}

TaskId Distinctions::first_of_thread(const Execution& execution, ObjectId thread) const {
  for (std::size_t task = 0; task < execution.tasks.size(); ++task)
    if (execution.tasks[task].object == thread) return names_.first_like(static_cast<TaskId>(task));
  return kNoTask;
}

void Distinctions::tell_apart(TaskId task) {
  const TaskId first = task != kNoTask ? names_.first_like(task) : kNoTask;
  if (first == kNoTask || told_apart_.contains(names_.name(first))) return;
  told_apart_.add(names_.name(first));
  found_ = true;
}

}  // namespace heddle
