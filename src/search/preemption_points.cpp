// See preemption_points.h.
#include "search/preemption_points.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "search/plain_end.h"
#include "search/preemption_kinds.h"
#include "trace/modules.h"

namespace heddle {
namespace {

using Kind = PreemptionKind;

// What is to be known of the kind of a step or of a pending operation. A plain end of the process orders nothing.
template <typename Record>
[[gnu::always_inline]] inline std::uint8_t kind_of(const Record& record) {
  const std::uint8_t kind = preemption_kind(record.operation);
  return is_plain_end(record) ? static_cast<std::uint8_t>(kind & ~unsigned{Kind::OrdersAll}) : kind;
}

std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x ^ 0xa0761d6478bd642full) * (y ^ 0xe7037ed1a0b428dbull);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

bool has_place(const StepRecord& step) { return step.site != 0 && !ModuleMap::is_unplaced(step.site); }

// By task and place in the code; where that is not known, as the how-manieth of the task.
std::uint64_t name_of(const StepRecord& step, std::uint32_t own_number) {
  const bool placed = has_place(step);
  return fold((placed ? step.site : 0) ^ static_cast<std::uint64_t>(step.operation) << 56,
              std::uint64_t{step.task} << 32 | (placed ? 0 : own_number + 1));
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
  order_.execution = &execution;
  first_ = execution.damaged ? 0 : common_prefix(execution);
  constexpr std::uint32_t kReadAgain = 64;
  if (outdated_ && ++outdated_for_ >= kReadAgain) {
    first_ = outdated_for_ = 0;
    outdated_ = false;
  }
  if (execution.damaged || uses_futexes(execution) || !make_room(execution, first_)) {
    given_up_ = true;
    for (std::size_t place = 0; place < places_.size(); ++place)
      if (places_[place] == PlaceState::Pruned) found_out_.push_back(static_cast<Place>(place));
    return found_out_;
  }
  first_ = std::min(first_, order_.count);  // make_room() may have forgotten all
  take_back_to(first_);
  records_.insert(records_.end(), execution.steps.begin() + first_, execution.steps.end());
  const auto count = static_cast<std::uint32_t>(execution.steps.size());
  if (order_.steps.size() < count) order_.steps.resize(count + count / 2);
  waits_.read(execution, first_, order_.width);
  while (order_.count < count) {
    if (!waits_.timed && !waits_.any_yields) push_ordinary(count);
    if (order_.count < count) push(order_.count);
  }
  scan_end();
  last_plan_ = execution.plan;
  return found_out_;
}

// Places that are asked for are those of the execution that was learned last.
bool PreemptionPoints::matter(std::uint32_t step) {
  if (given_up_ || step >= order_.count || !order_.steps[step].movable) return true;
  PlaceState& state = places_[order_.steps[step].place];
  if (state == PlaceState::Matters) return true;
  state = PlaceState::Pruned;
  return false;
}

void PreemptionPoints::save(StateWriter& writer) const {
  std::vector<std::uint64_t> names(places_.size());
  for (const auto& [name, place] : place_of_) names[place] = name;
  writer(names, places_, waits_.timed, given_up_);
}

void PreemptionPoints::restore(StateReader& reader) {
  std::vector<std::uint64_t> names;
  reader(names, places_, waits_.timed, given_up_);
  place_of_.clear();
  latest_.assign(kLatest, {});
  for (const std::uint64_t name : names) place_of_.emplace(name, static_cast<Place>(place_of_.size()));
  places_.resize(place_of_.size());
}

// --- reading an execution; its beginning has been read if the last one had the same

std::uint32_t PreemptionPoints::common_prefix(const Execution& execution) const {
  const std::size_t most = std::min(records_.size(), execution.steps.size());
  std::size_t step = 0;
  if (execution.kept_of == last_plan_) step = std::min<std::size_t>(execution.kept_steps, most);
  while (step < most && std::memcmp(&records_[step], &execution.steps[step], sizeof(StepRecord)) == 0) ++step;
  return static_cast<std::uint32_t>(step);
}

// The steps before `first` have been read before.
bool PreemptionPoints::make_room(const Execution& execution, std::uint32_t first) {
  auto tasks = static_cast<std::uint32_t>(execution.tasks.size());
  ObjectId objects = 0;
  unsigned kinds = 0, flags = 0;
  const auto use = [&](const auto& one) {
    tasks = one.task < tasks ? tasks : one.task + 1u;
    objects = one.object > objects ? one.object : objects;
    objects = one.object2 > objects ? one.object2 : objects;
    kinds |= preemption_kind(one.operation);
  };
  for (std::size_t at = first; at < execution.steps.size(); ++at) {
    use(execution.steps[at]);
    flags |= execution.steps[at].flags;
  }
  for (const PendingRecord& pending : execution.pending) use(pending);
  waits_.any_yields = (kinds & Kind::Yields) != 0 || (flags & StepFlags::Yielded) != 0;
  const bool follows = execution.kept_of == last_plan_;
  for (std::size_t at = follows ? execution.kept_changes : 0; at < execution.changes.size(); ++at)
    if (!names_gate(execution.changes[at].task)) tasks = std::max(tasks, execution.changes[at].task + 1u);
  if (tasks > order_.width) {
    take_back_to(0);
    order_.width = tasks + tasks / 2;
    order_.nothing.assign(order_.width, 0);
    order_.last_of.assign(order_.width, kNone);
    last_open_of_.assign(order_.width, kNone);
    order_.created_by.assign(order_.width, kNone);
    if (first != 0) return make_room(execution, 0);
  }
  if (objects >= order_.objects.size()) order_.objects.resize(objects + 1u);
  return execution.steps.size() * order_.width <= kMaxCells;
}

// Forgets all steps but the first so many.
void PreemptionPoints::take_back_to(std::uint32_t first) {
  if (first >= order_.count) return;
  for (std::uint32_t step = order_.count; step-- > first;) take_back(step);
  order_.count = first;
  records_.resize(first);
  order_.clocks_made = std::min(order_.clocks_made, first);
}

void PreemptionPoints::take_back(std::uint32_t step) {
  const Step& last = order_.steps[step];
  order_.last_of[last.task] = last.own_before;
  for (unsigned which = 2; which-- > 0;) {
    if (last.objects[which] == kNoObject) continue;
    Object& object = order_.objects[last.objects[which]];
    object.last = last.access_before[which];
    object.last_write = last.write_before[which];
    object.open -= last.open ? 1u : 0u;
  }
  if (last.open) --open_steps_;
  if (last_open_of_[last.task] == step) last_open_of_[last.task] = last.open_before;
  if (last.creates) order_.creating.pop_back();
  order_.everything = last.everything_before;
}

// --- entering a step

// What does not depend on what the others do.
[[gnu::always_inline]] inline void PreemptionPoints::begin_step(Step& next, const StepRecord& made, std::uint8_t kind) {
  const std::uint32_t own = order_.last_of[made.task];
  next.task = made.task;
  next.operation = made.operation;
  next.own_before = own;
  if (own != kNone) {
    next.before = own;
    next.own_number = order_.steps[own].own_number + 1;
  } else {
    next.own_number = 0;
    next.before = order_.created_by[made.task] = order_.creation_of(made.task);
  }
  next.objects[0] = (kind & Kind::Object) != 0 ? made.object : kNoObject;
  next.objects[1] = (kind & Kind::SecondObject) != 0 && made.object2 != next.objects[0] ? made.object2 : kNoObject;
  next.wrote = (kind & Kind::MayWrite) != 0 && (made.flags & StepFlags::Wrote) != 0 &&
               (made.result == 0 || !is_failed_try(made.operation, made.result));
  next.creates = (kind & Kind::Creates) != 0;
  next.open = next.behind_all[0] = next.behind_all[1] = false;  // what was here before may have been
  next.everything_before = order_.everything;
}

// Steps up to the first that something might be found of: most are at places that are known to matter, on one object
// that holds nothing of interest. Does the same as push().
void PreemptionPoints::push_ordinary(std::uint32_t to) {
  constexpr unsigned kOthers = Kind::SecondObject | Kind::OrdersAll | Kind::Creates | Kind::Yields;
  for (std::uint32_t step = order_.count; step < to; order_.count = ++step) {
    const StepRecord& made = records_[step];
    const std::uint8_t kind = preemption_kind(made.operation);
    const bool wrote = (made.flags & StepFlags::Wrote) != 0;
    const bool movable = (kind & (wrote ? Kind::MovableIfItWrote : Kind::Movable)) != 0;
    if ((kind & kOthers) != 0 || made.variant >= kSpurious || !has_place(made)) return;
    if ((made.flags & StepFlags::Refused) != 0 || leaves_to_others(made.operation, made.result)) return;
    const ObjectId id = (kind & Kind::Object) != 0 ? made.object : kNoObject;
    Object& object = order_.objects[id];
    if (object.open != 0) return;
    const std::uint64_t name = movable ? name_of(made, 0) : 0;
    const Named& latest = latest_[name % kLatest];
    if (movable && latest.name != name) return;
    const bool open = movable && places_[latest.place] != PlaceState::Matters;
    if (open && (id != kNoObject || order_.everything != kNone)) return;
    Step& next = order_.steps[step];
    begin_step(next, made, kind);
    next.place = movable ? latest.place : 0;
    next.everything = false;
    next.movable = movable;
    if (open) note_open(step);
    order_.last_of[made.task] = step;
    if (id == kNoObject) continue;
    next.access_before[0] = object.last;
    next.write_before[0] = object.last_write;
    next.others_before[0] = order_.before_reads_of(made.task, id, object.last);
    object.last = step;
    if (next.wrote) object.last_write = step;
  }
}

void PreemptionPoints::push(std::uint32_t step) {
  const StepRecord& made = records_[step];
  const std::uint8_t kind = kind_of(made);
  const bool with_all = waits_.waited_at(step) || waits_.yields_behind(step);
  const bool everything =
      (kind & Kind::OrdersAll) != 0 || made.variant == kTimeout || leaves_to_others(made.operation, made.result);
  const bool refused = (made.flags & StepFlags::Refused) != 0;
  Step& next = order_.steps[step];
  begin_step(next, made, kind);
  next.everything = everything;
  next.movable = !everything && !refused && !with_all && made.variant != kTimeout && made.variant != kSpurious &&
                 (kind & ((made.flags & StepFlags::Wrote) != 0 ? Kind::MovableIfItWrote : Kind::Movable)) != 0;
  if (next.movable) name_place(next, made);
  bool open = next.movable && places_[next.place] != PlaceState::Matters;
  const bool of_interest = open || everything || with_all || refused || (kind & (Kind::Creates | Kind::Yields)) != 0;
  if (of_interest || order_.objects[next.objects[0]].open != 0 || order_.objects[next.objects[1]].open != 0) {
    scan(rival_of(next, kind, everything || with_all || refused, open));
    std::copy_n(behind_all_, 2, next.behind_all);
    if (races_) found(step);
    open = open && places_[next.place] != PlaceState::Matters;
  }
  enter(step, open);
}

inline void PreemptionPoints::name_place(Step& next, const StepRecord& made) {
  const std::uint64_t name = name_of(made, next.own_number);
  Named& latest = latest_[name % kLatest];
  if (latest.name == name && name != 0) {
    next.place = latest.place;
    return;
  }
  const auto known = place_of_.find(name);
  if (known != place_of_.end()) {
    next.place = known->second;
    latest = {name, known->second};
  } else if (places_.size() < kMaxPlaces) {
    next.place = static_cast<Place>(places_.size());
    place_of_.emplace(name, next.place);
    places_.push_back(PlaceState::Unknown);
  } else {
    next.movable = false;
  }
}

inline void PreemptionPoints::note_open(std::uint32_t step) {
  Step& noted = order_.steps[step];
  noted.open = true;
  noted.open_before = std::exchange(last_open_of_[noted.task], step);
  ++open_steps_;
}

inline void PreemptionPoints::enter(std::uint32_t step, bool open) {
  Step& entering = order_.steps[step];
  if (open) note_open(step);
  for (unsigned which = 0; which < 2; ++which) {
    const ObjectId id = entering.objects[which];
    if (id == kNoObject) continue;
    Object& object = order_.objects[id];
    entering.access_before[which] = object.last;
    entering.write_before[which] = object.last_write;
    entering.others_before[which] = order_.before_reads_of(entering.task, id, object.last);
    object.last = step;
    if (entering.wrote) object.last_write = step;
    object.open += open ? 1u : 0u;
  }
  order_.last_of[entering.task] = step;
  if (entering.everything) order_.everything = step;
  if (entering.creates) order_.creating.push_back(step);
  order_.count = step + 1;
}

// It is known now that preemptions before it matter.
void PreemptionPoints::close(Step& step) {
  if (!step.open) return;
  step.open = false;
  --open_steps_;
  for (const ObjectId id : step.objects)
    if (id != kNoObject) --order_.objects[id].open;
}

// --- what could have come before

PreemptionPoints::Rival PreemptionPoints::rival_of(const Step& step, std::uint8_t kind, bool with_all, bool open) {
  Rival rival;
  rival.kind = step.operation;
  rival.task = step.task;
  rival.objects[0] = step.objects[0];
  rival.objects[1] = step.objects[1];
  rival.may_write = (kind & Kind::MayWrite) != 0;
  rival.everything = with_all || (kind & (Kind::OrdersAll | Kind::Yields)) != 0;
  rival.creates = (kind & Kind::Creates) != 0;
  rival.open = open;
  rival.before = step.before;
  return rival;
}

void PreemptionPoints::scan_end() {
  for (const PendingRecord& pending : order_.execution->pending) {
    const std::uint8_t kind = kind_of(pending);
    const std::uint32_t own = order_.last_of[pending.task];
    Step about;
    about.operation = pending.operation;
    about.task = pending.task;
    about.objects[0] = (kind & Kind::Object) != 0 ? pending.object : kNoObject;
    about.objects[1] = (kind & Kind::SecondObject) != 0 ? pending.object2 : kNoObject;
    about.before = own != kNone ? own : order_.creation_of(pending.task);
    scan(rival_of(about, kind, waits_.waits_in_the_end(pending.task), false));
  }
  // What ended it by surprise was not a step: it came behind the last one of its task.
  const EndRecord& end = order_.execution->end;
  if (end.end == EndKind::Deadlock || end.task >= order_.width || order_.count == 0 ||
      order_.steps[order_.count - 1].everything || is_plain_end(records_.back()))
    return;
  scan_all(end.task, order_.last_of[end.task]);
}

// races_: does it race itself, as far as that is of interest? behind_all_: on which of its objects it comes behind all
// that was done there, as far as that was looked at.
void PreemptionPoints::scan(const Rival& rival) {
  races_ = behind_all_[0] = behind_all_[1] = false;
  if (open_steps_ == 0 && !rival.open) return;
  races_ = rival.open && order_.everything != kNone && !order_.is_behind(rival.before, order_.everything);
  if (rival.everything) return scan_all(rival.task, rival.before);
  for (unsigned which = 0; which < 2; ++which)
    if (rival.objects[which] != kNoObject) behind_all_[which] = scan_object(rival, rival.objects[which]);
  if (!rival.creates) return;
  for (const std::uint32_t step : order_.creating)
    if (order_.steps[step].task != rival.task && !order_.is_behind(rival.before, step)) found(step);
}

// True: all accesses to the object come before the rival, whatever it does to it itself. (They come before each write,
// since they depend on it.)
bool PreemptionPoints::scan_object(const Rival& rival, ObjectId object) {
  if (!rival.open && order_.objects[object].open == 0) return false;
  bool all = rival.may_write;
  for (std::uint32_t at = rival.may_write ? order_.objects[object].last : order_.objects[object].last_write;
       at != kNone;) {
    const Step& step = order_.steps[at];
    const unsigned which = step.objects[0] == object ? 0 : 1;
    const bool behind_all = step.wrote || step.behind_all[which];
    if (step.task == rival.task) {
      if (behind_all) return all;
      at = step.others_before[which];
      continue;
    }
    const bool waits = rival.kind == OperationKind::ThreadJoin && step.operation == OperationKind::ThreadExit;
    const bool ordered = !waits && order_.is_behind(rival.before, at);
    if (ordered && behind_all) return all;
    all = all && ordered;
    if (!waits && !ordered && (step.wrote || rival.may_write)) {
      found(at);
      races_ = true;
    }
    at = rival.may_write ? step.access_before[which] : step.write_before[which];
  }
  return all;
}

void PreemptionPoints::scan_all(TaskId task, std::uint32_t before) {
  for (std::uint32_t other = 0; other < last_open_of_.size(); ++other) {
    if (other == task || last_open_of_[other] == kNone || has_joined(task, static_cast<TaskId>(other))) continue;
    for (std::uint32_t at = last_open_of_[other]; at != kNone; at = order_.steps[at].open_before) {
      if (!order_.steps[at].open) continue;
      if (order_.is_behind(before, at)) break;  // so are those before it
      found(at);
    }
  }
}

// Then all that the other did is behind it.
bool PreemptionPoints::has_joined(TaskId task, TaskId other) const {
  if (other >= order_.execution->tasks.size()) return false;
  const ObjectId thread = order_.execution->tasks[other].object;
  if (thread == kNoObject || thread >= order_.objects.size() || order_.objects[thread].last == kNone) return false;
  const StepRecord& last = records_[order_.objects[thread].last];
  return last.operation == OperationKind::ThreadJoin && last.task == task && last.result == 0;
}

void PreemptionPoints::found(std::uint32_t step) {
  if (!order_.steps[step].movable) return;
  PlaceState& state = places_[order_.steps[step].place];
  if (state == PlaceState::Matters) return;
  if (state == PlaceState::Pruned) found_out_.push_back(order_.steps[step].place);
  state = PlaceState::Matters;
  close(order_.steps[step]);
  outdated_ = true;
}

}  // namespace heddle
