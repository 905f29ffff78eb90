// See preemption_points.h.
#include "search/preemption_points.h"

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

constexpr std::uint8_t kEndsByItself = TaskState::Timeout | TaskState::Spurious;

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x ^ 0xa0761d6478bd642full) * (y ^ 0xe7037ed1a0b428dbull);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// What HappensBefore's careful relation orders with everything, and what gives way besides.
bool orders_all(OperationKind kind, const Access& access) {
  return access.everything || access.clock || object_kind(kind) == ObjectKind::Once ||
         object_kind(kind) == ObjectKind::Futex || kind == OperationKind::ConditionWake;
}

bool changes(const StepRecord& step) {
  return (step.flags & StepFlags::Wrote) != 0 && !is_failed_try(step.operation, step.result);
}

// Operations that change nothing but their objects, whatever others are about to do.
bool acts_on_objects_only(const StepRecord& step) {
  switch (object_kind(step.operation)) {
    case ObjectKind::Condition:
      // Who waits is about to do something else then.
      return step.operation == OperationKind::ConditionWait ||
             (step.operation != OperationKind::ConditionWake && (step.flags & StepFlags::Wrote) == 0);
    case ObjectKind::Thread:
    case ObjectKind::Mutex:
    case ObjectKind::RwLock:
    case ObjectKind::Semaphore:
    case ObjectKind::SpinLock:
    case ObjectKind::Memory:
      return true;
    case ObjectKind::None:
      return step.operation == OperationKind::Choose;
    default:
      return false;
  }
}

// Whether a thread calls these at all is decided by a look at memory.
bool uses_futexes(const Execution& execution) {
  return std::any_of(execution.objects.begin(), execution.objects.end(),
                     [](const ObjectRecord& object) { return object.object_kind == ObjectKind::Futex; });
}

}  // namespace

const std::vector<PreemptionPoints::Place>& PreemptionPoints::learn(const Execution& execution) {
  found_out_.clear();
  if (given_up_) return found_out_;
  execution_ = &execution;
  first_ = execution.damaged ? 0 : common_beginning(execution);
  if (execution.damaged || uses_futexes(execution) || !make_room(execution, first_)) {
    given_up_ = true;
    for (std::size_t place = 0; place < places_.size(); ++place)
      if (places_[place] == PlaceState::LeftOut) found_out_.push_back(static_cast<Place>(place));
    return found_out_;
  }
  first_ = std::min(first_, static_cast<std::uint32_t>(steps_.size()));  // make_room() may have forgotten all
  for (auto step = static_cast<std::uint32_t>(steps_.size()); step-- > first_;) take_back(step);
  records_.resize(first_);
  records_.insert(records_.end(), execution.steps.begin() + first_, execution.steps.end());
  const auto count = static_cast<std::uint32_t>(execution.steps.size());
  read_waits(first_);
  read_yields(first_);
  steps_.reserve(count);
  clocks_.resize(std::size_t{count} * width_);
  for (std::uint32_t step = first_; step < count; ++step) push(step);
  look_at_end();
  last_plan_ = execution.plan;
  return found_out_;
}

// Places that are asked for are those of the execution that was learned last.
bool PreemptionPoints::matter(std::uint32_t step) {
  if (given_up_ || step >= steps_.size() || !steps_[step].movable || steps_[step].matters) return true;
  PlaceState& state = places_[steps_[step].place];
  if (state == PlaceState::Matters) return true;
  state = PlaceState::LeftOut;
  return false;
}

void PreemptionPoints::save(StateWriter& writer) const {
  std::vector<std::uint64_t> names(places_.size());
  for (const auto& [name, place] : place_of_) names[place] = name;
  writer(names, places_, timed_, given_up_);
}

void PreemptionPoints::restore(StateReader& reader) {
  std::vector<std::uint64_t> names;
  reader(names, places_, timed_, given_up_);
  place_of_.clear();
  for (const std::uint64_t name : names) place_of_.emplace(name, static_cast<Place>(place_of_.size()));
  places_.resize(place_of_.size());
}

// --- reading an execution; its beginning has been read if the last one had the same

std::uint32_t PreemptionPoints::common_beginning(const Execution& execution) const {
  const std::size_t most = std::min(records_.size(), execution.steps.size());
  std::size_t step = 0;
  if (execution.kept_of == last_plan_ && execution.bookmark == 0)
    step = std::min<std::size_t>(execution.kept_steps, most);
  while (step < most && std::memcmp(&records_[step], &execution.steps[step], sizeof(StepRecord)) == 0) ++step;
  return static_cast<std::uint32_t>(step);
}

// The steps before `first` have been read before.
bool PreemptionPoints::make_room(const Execution& execution, std::uint32_t first) {
  auto tasks = static_cast<std::uint32_t>(execution.tasks.size());
  ObjectId objects = 0;
  for (std::size_t at = first; at < execution.steps.size(); ++at) {
    const StepRecord& step = execution.steps[at];
    tasks = std::max(tasks, step.task + 1u);
    objects = std::max({objects, step.object, step.object2});
  }
  for (const PendingRecord& pending : execution.pending) {
    tasks = std::max(tasks, pending.task + 1u);
    objects = std::max({objects, pending.object, pending.object2});
  }
  for (const StateChange& change : execution.changes) tasks = std::max(tasks, change.task + 1u);
  if (tasks > width_) {
    while (!steps_.empty()) take_back(static_cast<std::uint32_t>(steps_.size() - 1));
    records_.clear();
    width_ = tasks + tasks / 2;
    nothing_.assign(width_, 0);
    last_of_.assign(width_, kNone);
  }
  if (objects >= objects_.size()) objects_.resize(objects + 1u);
  return execution.steps.size() * width_ <= kMostCells;
}

void PreemptionPoints::take_back(std::uint32_t step) {
  const Step& last = steps_[step];
  last_of_[records_[step].task] = last.own_before;
  for (unsigned which = 2; which-- > 0;) {
    if (last.objects[which] == kNoObject) continue;
    objects_[last.objects[which]] = {last.access_before[which], last.write_before[which]};
  }
  if (!creating_.empty() && creating_.back() == step) creating_.pop_back();
  everything_ = last.everything_before;
  steps_.pop_back();
}

// Which of the new steps, and of what is pending, belong to waits that could have ended by themselves since the task's
// step before.
void PreemptionPoints::read_waits(std::uint32_t first) {
  const auto& changes = execution_->changes;
  const auto& steps = execution_->steps;
  auto change = std::lower_bound(changes.begin(), changes.end(), first,
                                 [](const StateChange& one, std::uint32_t step) { return one.step < step; });
  timed_ = timed_ ||
           std::any_of(change, changes.end(), [](const StateChange& one) { return (one.state & kEndsByItself) != 0; });
  waits_at_end_.assign(width_, false);
  if (!timed_) return;
  waited_.assign(steps.size() - first, false);
  std::vector<std::uint8_t>& waits = waits_at_end_;
  std::vector<std::uint8_t> state(width_, 0);
  change = changes.begin();
  for (std::uint32_t step = 0; step <= steps.size(); ++step) {
    for (; change != changes.end() && change->step <= step; ++change) {
      state[change->task] = change->state;
      if ((change->state & kEndsByItself) != 0) waits[change->task] = true;
    }
    if (step == steps.size()) return;
    const TaskId task = steps[step].task;
    if (step >= first) waited_[step - first] = waits[task];
    waits[task] = (state[task] & kEndsByItself) != 0;
  }
}

// Fairness and costs see a task give way where it is about to: behind its step before.
void PreemptionPoints::read_yields(std::uint32_t first) {
  const auto& steps = execution_->steps;
  gives_way_ = std::any_of(steps.begin() + first, steps.end(),
                           [](const StepRecord& step) {
                             return (step.flags & StepFlags::Yielded) != 0 || yields(step.operation);
                           }) ||
               std::any_of(execution_->pending.begin(), execution_->pending.end(),
                           [](const PendingRecord& pending) { return yields(pending.operation); });
  if (!gives_way_) return;
  yields_next_.assign(steps.size() - first, false);
  std::vector<std::uint8_t>& next = at_end_yields_;
  next.assign(width_, false);
  for (const PendingRecord& pending : execution_->pending) next[pending.task] = yields(pending.operation);
  for (auto step = static_cast<std::uint32_t>(steps.size()); step-- > first;) {
    const bool seen = step + 1 < steps.size() && (steps[step + 1].flags & StepFlags::Yielded) != 0;
    yields_next_[step - first] = seen || next[steps[step].task];
    next[steps[step].task] = yields(steps[step].operation);
  }
}

// --- the order

const std::uint32_t* PreemptionPoints::past_of(std::uint32_t before) const {
  return before == kNone ? nothing_.data() : clocks_.data() + std::size_t{before} * width_;
}

void PreemptionPoints::join(std::uint32_t step, std::uint32_t earlier) {
  if (earlier == kNone) return;
  std::uint32_t* own = clock(step);
  const std::uint32_t* other = clock(earlier);
  for (std::uint32_t task = 0; task < width_; ++task) own[task] = std::max(own[task], other[task]);
}

std::uint32_t PreemptionPoints::creation_of(TaskId task) const {
  if (task >= execution_->tasks.size()) return kNone;
  const ObjectId thread = execution_->tasks[task].object;
  if (thread == kNoObject || thread >= objects_.size()) return kNone;
  for (std::uint32_t step = objects_[thread].last; step != kNone;) {
    if (records_[step].operation == OperationKind::ThreadCreate) return step;
    step = steps_[step].access_before[steps_[step].objects[0] == thread ? 0 : 1];
  }
  return kNone;
}

void PreemptionPoints::push(std::uint32_t step) {
  const StepRecord& made = execution_->steps[step];
  const std::uint32_t own = last_of_[made.task];
  const std::uint32_t before = own != kNone ? own : creation_of(made.task);
  Access access = access_of(made.operation, made.variant, made.object, made.object2, true);
  look(rival(made, access, waited(step) || yields_next(step)), before);
  access.wrote = access.wrote && changes(made);
  Step next;
  next.own_before = own;
  next.own_number = own != kNone ? steps_[own].own_number + 1 : 0;
  next.objects[0] = access.object;
  next.objects[1] = access.second != access.object ? access.second : kNoObject;
  next.wrote = access.wrote;
  next.everything = orders_all(made.operation, access);
  next.everything_before = everything_;
  steps_.push_back(next);
  steps_[step].movable = movable(step);
  if (steps_[step].movable) name_place(step);
  if (races_) found(step);
  std::copy_n(past_of(before), width_, clock(step));
  order(step, access);
}

void PreemptionPoints::name_place(std::uint32_t step) {
  const StepRecord& made = records_[step];
  const std::uint64_t name = fold(made.site ^ static_cast<std::uint64_t>(made.operation) << 56,
                                  std::uint64_t{made.task} << 32 | (made.site != 0 ? 0 : steps_[step].own_number + 1));
  const auto known = place_of_.find(name);
  if (known != place_of_.end()) {
    steps_[step].place = known->second;
  } else if (places_.size() < kMostPlaces) {
    steps_[step].place = static_cast<Place>(places_.size());
    place_of_.emplace(name, steps_[step].place);
    places_.push_back(PlaceState::Unknown);
  } else {
    steps_[step].movable = false;
  }
}

void PreemptionPoints::order(std::uint32_t step, const Access& access) {
  const TaskId task = records_[step].task;
  if (steps_[step].everything) {
    for (const std::uint32_t last : last_of_) join(step, last);
  } else {
    join(step, everything_);
  }
  for (unsigned which = 0; which < 2; ++which)
    if (steps_[step].objects[which] != kNoObject) enter_object(step, which);
  clock(step)[task] = steps_[step].own_number + 1;
  last_of_[task] = step;
  if (steps_[step].everything) everything_ = step;
  if (access.creates) creating_.push_back(step);
}

void PreemptionPoints::enter_object(std::uint32_t step, unsigned which) {
  Step& entering = steps_[step];
  const ObjectId id = entering.objects[which];
  Object& object = objects_[id];
  if (entering.wrote)
    for (std::uint32_t at = object.last; at != kNone && at != object.last_write;
         at = steps_[at].access_before[steps_[at].objects[0] == id ? 0 : 1])
      join(step, at);
  join(step, object.last_write);
  entering.access_before[which] = object.last;
  entering.write_before[which] = object.last_write;
  entering.others_before[which] = before_reads_of(records_[step].task, id);
  object.last = step;
  if (entering.wrote) object.last_write = step;
}

// The last access that is not one of the reads that this task has made in a row. Threads that wait in loops make many.
std::uint32_t PreemptionPoints::before_reads_of(TaskId task, ObjectId object) const {
  const std::uint32_t last = objects_[object].last;
  if (last == kNone || records_[last].task != task || steps_[last].wrote) return last;
  return steps_[last].others_before[steps_[last].objects[0] == object ? 0 : 1];
}

bool PreemptionPoints::movable(std::uint32_t step) const {
  const StepRecord& made = records_[step];
  const bool ordinary = made.variant != kTimeout && made.variant != kSpurious;
  return ordinary && !steps_[step].everything && (made.flags & StepFlags::Refused) == 0 && !waited(step) &&
         !yields_next(step) && acts_on_objects_only(made);
}

// --- what could have come before

// `access`: what it may do.
PreemptionPoints::Rival PreemptionPoints::rival(const StepRecord& step, const Access& access, bool with_all) {
  Rival rival;
  rival.kind = step.operation;
  rival.task = step.task;
  rival.objects[0] = access.object;
  rival.objects[1] = access.second;
  rival.may_write = access.wrote;
  rival.creates = access.creates;
  rival.everything = orders_all(step.operation, access) || with_all || (step.flags & StepFlags::Refused) != 0 ||
                     yields(step.operation);
  return rival;
}

void PreemptionPoints::look_at_end() {
  for (const PendingRecord& pending : execution_->pending) {
    StepRecord step;
    step.operation = pending.operation;
    step.task = pending.task;
    step.object = pending.object;
    step.object2 = pending.object2;
    const std::uint32_t own = last_of_[pending.task];
    const Access access = access_of(step.operation, step.variant, step.object, step.object2, true);
    look(rival(step, access, waits_at_end_[pending.task] != 0), own != kNone ? own : creation_of(pending.task));
  }
  // What ended it by surprise was not a step: it came behind the last one of its task.
  const EndRecord& end = execution_->end;
  if (end.end == EndKind::Deadlock || end.task >= width_ || steps_.empty() || steps_.back().everything) return;
  look_everywhere(end.task, past_of(last_of_[end.task]));
}

void PreemptionPoints::look(const Rival& rival, std::uint32_t before) {
  const std::uint32_t* past = past_of(before);
  races_ = everything_ != kNone && steps_[everything_].own_number >= past[records_[everything_].task];
  if (rival.everything) return look_everywhere(rival.task, past);
  for (unsigned which = 0; which < 2; ++which)
    if (rival.objects[which] != kNoObject) look_on_object(rival, rival.objects[which], past);
  if (!rival.creates) return;
  for (const std::uint32_t step : creating_)
    if (records_[step].task != rival.task && steps_[step].own_number >= past[records_[step].task]) found(step);
}

void PreemptionPoints::look_on_object(const Rival& rival, ObjectId object, const std::uint32_t* past) {
  for (std::uint32_t at = rival.may_write ? objects_[object].last : objects_[object].last_write; at != kNone;) {
    const Step& step = steps_[at];
    const unsigned which = step.objects[0] == object ? 0 : 1;
    const TaskId task = records_[at].task;
    const bool ordered = task == rival.task || step.own_number < past[task];
    if (ordered && step.wrote) return;  // what is before it is ordered, too
    if (task == rival.task) {
      at = step.others_before[which];
      continue;
    }
    const bool waits = rival.kind == OperationKind::ThreadJoin && records_[at].operation == OperationKind::ThreadExit;
    if (!ordered && (step.wrote || rival.may_write) && !waits) {
      found(at);
      races_ = true;
    }
    at = rival.may_write ? step.access_before[which] : step.write_before[which];
  }
}

void PreemptionPoints::look_everywhere(TaskId task, const std::uint32_t* past) {
  for (std::uint32_t other = 0; other < last_of_.size(); ++other) {
    if (other == task) continue;
    for (std::uint32_t at = last_of_[other]; at != kNone && steps_[at].own_number >= past[other];
         at = steps_[at].own_before)
      found(at);
  }
}

void PreemptionPoints::found(std::uint32_t step) {
  if (!steps_[step].movable || steps_[step].matters) return;
  steps_[step].matters = true;
  PlaceState& state = places_[steps_[step].place];
  if (state == PlaceState::LeftOut) found_out_.push_back(steps_[step].place);
  state = PlaceState::Matters;
}

}  // namespace heddle
