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
  constexpr std::uint32_t kReadAgain = 64;
  if (outdated_ && ++outdated_for_ >= kReadAgain) {
    first_ = outdated_for_ = 0;
    outdated_ = false;
  }
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
  if (given_up_ || step >= steps_.size() || !steps_[step].movable) return true;
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
  latest_.assign(kLatest, {});
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
  note_open(step, false);
  const Step& last = steps_[step];
  last_of_[records_[step].task] = last.own_before;
  for (unsigned which = 2; which-- > 0;) {
    if (last.objects[which] == kNoObject) continue;
    Object& object = objects_[last.objects[which]];
    object.last = last.access_before[which];
    object.last_write = last.write_before[which];
  }
  if (!creating_.empty() && creating_.back() == step) creating_.pop_back();
  everything_ = last.everything_before;
  steps_.pop_back();
  clocks_made_ = std::min(clocks_made_, step);
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

const std::uint32_t* PreemptionPoints::past_of(std::uint32_t before) {
  if (before == kNone) return nothing_.data();
  for (; clocks_made_ <= before; ++clocks_made_) make_clock(clocks_made_);
  return clock(before);
}

// Does what comes behind the step `before` in its task come behind `step`?
bool PreemptionPoints::is_behind(std::uint32_t before, std::uint32_t step) {
  return steps_[step].own_number < past_of(before)[records_[step].task];
}

// From the clocks of the steps before it.
void PreemptionPoints::make_clock(std::uint32_t step) {
  const Step& made = steps_[step];
  const std::uint32_t* past = made.before == kNone ? nothing_.data() : clock(made.before);
  std::copy_n(past, width_, clock(step));
  join(step, made.everything_before);
  if (made.everything)  // what is before the last such step is in its clock
    for (std::uint32_t at = made.everything_before + 1; at < step; ++at) join(step, at);
  for (unsigned which = 0; which < 2; ++which) {
    const ObjectId id = made.objects[which];
    if (id == kNoObject) continue;
    if (made.wrote)
      for (std::uint32_t at = made.access_before[which]; at != kNone && at != made.write_before[which];
           at = steps_[at].access_before[steps_[at].objects[0] == id ? 0 : 1])
        join(step, at);
    join(step, made.write_before[which]);
  }
  clock(step)[records_[step].task] = made.own_number + 1;
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
  const StepRecord& made = records_[step];
  const std::uint32_t own = last_of_[made.task];
  Access access = access_of(made.operation, made.variant, made.object, made.object2, true);
  Rival as_rival = rival(made, access, waited(step) || yields_next(step));
  access.wrote = access.wrote && changes(made);
  Step& next = steps_.emplace_back();
  next.own_before = own;
  next.before = own != kNone ? own : creation_of(made.task);
  next.own_number = own != kNone ? steps_[own].own_number + 1 : 0;
  next.objects[0] = access.object;
  next.objects[1] = access.second != access.object ? access.second : kNoObject;
  next.wrote = access.wrote;
  next.everything = orders_all(made.operation, access);
  next.everything_before = everything_;
  next.movable = movable(step);
  if (next.movable) name_place(step);
  as_rival.before = next.before;
  as_rival.open = next.movable && places_[next.place] != PlaceState::Matters;
  look(as_rival);
  if (races_) found(step);
  enter(step, access);
}

void PreemptionPoints::name_place(std::uint32_t step) {
  const StepRecord& made = records_[step];
  const std::uint64_t name = fold(made.site ^ static_cast<std::uint64_t>(made.operation) << 56,
                                  std::uint64_t{made.task} << 32 | (made.site != 0 ? 0 : steps_[step].own_number + 1));
  Named& latest = latest_[name % kLatest];
  if (latest.name == name && name != 0) {
    steps_[step].place = latest.place;
    return;
  }
  const auto known = place_of_.find(name);
  if (known != place_of_.end()) {
    steps_[step].place = known->second;
    latest = {name, known->second};
  } else if (places_.size() < kMostPlaces) {
    steps_[step].place = static_cast<Place>(places_.size());
    place_of_.emplace(name, steps_[step].place);
    places_.push_back(PlaceState::Unknown);
  } else {
    steps_[step].movable = false;
  }
}

void PreemptionPoints::enter(std::uint32_t step, const Access& access) {
  for (unsigned which = 0; which < 2; ++which)
    if (steps_[step].objects[which] != kNoObject) enter_object(step, which);
  note_open(step, steps_[step].movable && places_[steps_[step].place] != PlaceState::Matters);
  last_of_[records_[step].task] = step;
  if (steps_[step].everything) everything_ = step;
  if (access.creates) creating_.push_back(step);
}

void PreemptionPoints::note_open(std::uint32_t step, bool open) {
  Step& noted = steps_[step];
  if (noted.open == open) return;
  noted.open = open;
  for (const ObjectId id : noted.objects)
    if (id != kNoObject) objects_[id].open += open ? 1u : ~0u;
}

void PreemptionPoints::enter_object(std::uint32_t step, unsigned which) {
  Step& entering = steps_[step];
  const ObjectId id = entering.objects[which];
  Object& object = objects_[id];
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
    Rival about = rival(step, access, waits_at_end_[pending.task] != 0);
    about.before = own != kNone ? own : creation_of(pending.task);
    look(about);
  }
  // What ended it by surprise was not a step: it came behind the last one of its task.
  const EndRecord& end = execution_->end;
  if (end.end == EndKind::Deadlock || end.task >= width_ || steps_.empty() || steps_.back().everything) return;
  look_everywhere(end.task, last_of_[end.task]);
}

// races_: does it race itself, as far as that is of interest?
void PreemptionPoints::look(const Rival& rival) {
  races_ = rival.open && everything_ != kNone && !is_behind(rival.before, everything_);
  if (rival.everything) return look_everywhere(rival.task, rival.before);
  for (unsigned which = 0; which < 2; ++which)
    if (rival.objects[which] != kNoObject) look_on_object(rival, rival.objects[which]);
  if (!rival.creates) return;
  for (const std::uint32_t step : creating_)
    if (records_[step].task != rival.task && !is_behind(rival.before, step)) found(step);
}

void PreemptionPoints::look_on_object(const Rival& rival, ObjectId object) {
  if (!rival.open && objects_[object].open == 0) return;
  for (std::uint32_t at = rival.may_write ? objects_[object].last : objects_[object].last_write; at != kNone;) {
    const Step& step = steps_[at];
    const unsigned which = step.objects[0] == object ? 0 : 1;
    if (records_[at].task == rival.task) {
      if (step.wrote) return;  // what is before it is ordered, too
      at = step.others_before[which];
      continue;
    }
    const bool waits = rival.kind == OperationKind::ThreadJoin && records_[at].operation == OperationKind::ThreadExit;
    if (!waits) {
      const bool ordered = is_behind(rival.before, at);
      if (ordered && step.wrote) return;
      if (!ordered && (step.wrote || rival.may_write)) {
        found(at);
        races_ = true;
      }
    }
    at = rival.may_write ? step.access_before[which] : step.write_before[which];
  }
}

void PreemptionPoints::look_everywhere(TaskId task, std::uint32_t before) {
  for (std::uint32_t other = 0; other < last_of_.size(); ++other) {
    if (other == task || last_of_[other] == kNone || has_joined(task, static_cast<TaskId>(other))) continue;
    const std::uint32_t* past = past_of(before);
    for (std::uint32_t at = last_of_[other]; at != kNone && steps_[at].own_number >= past[other];
         at = steps_[at].own_before)
      found(at);
  }
}

// Then all that the other did is behind it.
bool PreemptionPoints::has_joined(TaskId task, TaskId other) const {
  if (other >= execution_->tasks.size()) return false;
  const ObjectId thread = execution_->tasks[other].object;
  if (thread == kNoObject || thread >= objects_.size() || objects_[thread].last == kNone) return false;
  const StepRecord& last = records_[objects_[thread].last];
  return last.operation == OperationKind::ThreadJoin && last.task == task && last.result == 0;
}

void PreemptionPoints::found(std::uint32_t step) {
  if (!steps_[step].movable) return;
  PlaceState& state = places_[steps_[step].place];
  if (state == PlaceState::Matters) return;
  if (state == PlaceState::LeftOut) found_out_.push_back(steps_[step].place);
  state = PlaceState::Matters;
  note_open(step, false);
  outdated_ = true;
}

}  // namespace heddle
