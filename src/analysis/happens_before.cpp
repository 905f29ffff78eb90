// See happens_before.h.
#include "analysis/happens_before.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "protocol/dependence.h"

namespace heddle {
namespace {

constexpr std::uint32_t kWorthwhile = 32;  // so many steps not taken again are worth a landmark
constexpr std::uint32_t kInterval = 256;   // steps between landmarks, at least
constexpr std::size_t kMostKept = 1024;    // more than there are bookmarks
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
constexpr std::uint32_t kAnywhere = ~std::uint32_t{0};
constexpr ObjectId kMostObjects = ObjectId{1} << 22;  // as many as the decoder lets through

// From the digits of pi and e.
constexpr std::uint64_t kTaskA = 0x243f6a8885a308d3ull, kTaskB = 0x13198a2e03707345ull;
constexpr std::uint64_t kPastA = 0xa4093822299f31d1ull, kPastB = 0xb7e151628aed2a6bull;

// Both halves of the product, folded: fast, and every bit of the result depends on all of both.
std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

GraphHash mix(const GraphHash& own, std::uint64_t label, const GraphHash& past) {
  return {fold(own.a ^ label ^ kTaskA, past.a ^ kPastA), fold(own.b ^ std::rotl(label, 32) ^ kTaskB, past.b ^ kPastB)};
}

// What is asked about the operation of every step, in one table.
struct Kind {
  enum : std::uint8_t {
    MayWrite = 1,
    Both = 2,
    All = 4,
    CarefulAll = 8,  // Relation::Careful orders it with every other step, whatever the record says of it
    Creates = 16,
    OwnBirth = 32,  // its object is not accessed; see dependence.h
    Unknown = 64,   // there is no such operation
  };
};

struct Kinds {
  std::uint8_t of[256] = {};
  Kinds() noexcept {
    std::fill(std::begin(of), std::end(of), std::uint8_t{Kind::Unknown});
    for (unsigned index = 0; index < static_cast<unsigned>(OperationKind::Count); ++index) {
      const auto kind = static_cast<OperationKind>(index);
      const auto bit = [](bool is, unsigned value) { return is ? value : 0u; };
      const bool all = (traits(kind) & OperationTraits::All) != 0;
      const bool careful = index != 0 && (!has_known_effect(kind) || object_kind(kind) == ObjectKind::Once ||
                                          kind == OperationKind::Sleep || kind == OperationKind::ConditionWake);
      const bool birth = kind == OperationKind::ThreadStart || kind == OperationKind::ThreadCreated;
      of[index] = static_cast<std::uint8_t>(bit((traits(kind) & OperationTraits::Write) != 0, Kind::MayWrite) |
                                            bit((traits(kind) & OperationTraits::Both) != 0, Kind::Both) |
                                            bit(all, Kind::All) | bit(all || careful, Kind::CarefulAll) |
                                            bit(kind == OperationKind::ThreadCreate, Kind::Creates) |
                                            bit(birth, Kind::OwnBirth));
    }
  }
};
const Kinds kKinds;

// Of what did not end by a timeout.
std::uint64_t ordinary_label_of(const StepRecord& step, bool writes) {
  return static_cast<std::uint64_t>(step.operation) | (writes ? 0x100u : 0u) |
         static_cast<std::uint64_t>(step.variant) << 16 | std::uint64_t{static_cast<std::uint32_t>(step.result)} << 32;
}

// That a wait ended by its deadline is all that counts, not whether its time was over or a timeout fired.
std::uint64_t label_of(const StepRecord& step, bool writes) {
  if (step.variant != kTimeout) return ordinary_label_of(step, writes);
  StepRecord ended = step;
  ended.variant = 0;
  return ordinary_label_of(ended, writes);
}

}  // namespace

[[gnu::always_inline]] inline GraphHash HappensBefore::past_of(const Object& object, bool writes) {
  GraphHash past = object.write;
  if (writes) past += object.reads;
  return past;
}

[[gnu::always_inline]] inline void HappensBefore::leave(Object& object, const GraphHash& step, bool writes) {
  if (writes) {
    object.write = step;
    object.reads = {};
  } else {
    object.reads += step;
  }
}

[[gnu::noinline]] void HappensBefore::make_room(ObjectId id) { objects_.resize(2 * std::size_t{id} + 1); }

[[gnu::always_inline]] inline void HappensBefore::note_creation(TaskId task, const GraphHash& own) {
  created_ = tasks_[task].created = own;
  if (creator_ != kNoTask && creator_ != task) plain_ = false;
  creator_ = task;
}

// Of a step that accesses a second object, or creates a task.
[[gnu::always_inline]] inline GraphHash HappensBefore::further_past(const StepRecord& step, unsigned kind,
                                                                    bool writes) const {
  GraphHash past;
  if ((kind & Kind::Both) != 0) {
    const GraphHash other = past_of(objects_[step.object2], writes);
    past += {std::rotl(other.a, 32), std::rotl(other.b, 32)};
  }
  if ((kind & Kind::Creates) != 0) past += careful_ ? created_ : tasks_[step.task].created;
  return past;
}

bool HappensBefore::is_ordered_with_all(const StepRecord& step) {
  return (kKinds.of[static_cast<unsigned>(step.operation)] & Kind::CarefulAll) != 0 || step.variant == kTimeout;
}

inline bool HappensBefore::makes_sense(const StepRecord& step) const {
  return step.operation < OperationKind::Count && step.object < kMostObjects && step.object2 < kMostObjects;
}

[[gnu::always_inline]] inline HappensBefore::Effect HappensBefore::effect_of(const StepRecord& step) {
  const std::uint8_t kind = kKinds.of[static_cast<unsigned>(step.operation)];
  Effect effect;
  effect.writes = (step.flags & StepFlags::Wrote) != 0 && (kind & Kind::MayWrite) != 0 &&
                  (step.result == 0 || !is_failed_try(step.operation, step.result));
  effect.everything = (kind & (careful_ ? Kind::CarefulAll : Kind::All)) != 0 || (careful_ && step.variant == kTimeout);
  effect.plain = (kind & Kind::All) != 0;
  effect.creates = (kind & Kind::Creates) != 0;
  effect.past = effect.everything ? sum_ : all_;
  // Object 0 is none, and stays zero.
  effect.first = (kind & Kind::OwnBirth) != 0 ? kNoObject : step.object;
  if (effect.first >= objects_.size()) [[unlikely]]
    make_room(effect.first);
  effect.past += past_of(objects_[effect.first], effect.writes);
  if ((kind & Kind::Both) != 0) [[unlikely]] {
    effect.second = step.object2;
    if (effect.second >= objects_.size()) make_room(effect.second);
  }
  if ((kind & (Kind::Both | Kind::Creates)) != 0) [[unlikely]]
    effect.past += further_past(step, kind, effect.writes);
  return effect;
}

[[gnu::always_inline]] inline void HappensBefore::take(const StepRecord& step) {
  const Effect effect = effect_of(step);
  Task& task = tasks_[step.task];
  const GraphHash own = mix(task.last, label_of(step, effect.writes), effect.past);
  task.last = own;
  task.started = true;
  sum_ += own;
  if (effect.first != kNoObject) leave(objects_[effect.first], own, effect.writes);
  used_ = std::max(used_, effect.first + 1);
  if (effect.second != kNoObject) {
    leave(objects_[effect.second], own, effect.writes);
    used_ = std::max(used_, effect.second + 1);
  }
  if (effect.everything) [[unlikely]] {
    all_ = own;
    plain_ = plain_ && effect.plain;
  }
  if (effect.creates) note_creation(step.task, own);
}

GraphHash HappensBefore::sum_with(const StepRecord& step) {
  if (!makes_sense(step)) return {};
  while (step.task >= tasks_.size()) add_unnamed_task();
  const Effect effect = effect_of(step);
  GraphHash sum = sum_;
  sum += mix(tasks_[step.task].last, label_of(step, effect.writes), effect.past);
  return sum;
}

std::optional<GraphHash> HappensBefore::hash(const Execution& execution) {
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  const std::uint32_t step = begin(execution, kAnywhere);
  if (execution.damaged || !advance(execution, step, steps)) return {};
  finish(execution);
  return sum_;
}

bool HappensBefore::advance(const Execution& execution, std::uint32_t step, std::uint32_t to) {
  const StepRecord* made = execution.steps.data();
  while (step < to) {
    step = take_ordinary(made, step, std::min({to, next_landmark_, keep_at_}));
    if (step == keep_at_) keep(execution, step);
    if (step == to) break;
    if (step >= next_landmark_) remember(step);
    if (step == keep_at_) continue;
    if (!makes_sense(made[step])) return false;
    while (made[step].task >= tasks_.size()) add_unnamed_task();
    take(made[step++]);
  }
  return true;
}

// Most steps are ordered with nothing but what came before on their objects. Takes them up to the first that is not of
// that kind, or accesses an object that is not among the known ones; does the same as take(), in registers: there is no
// call in the loop.
std::uint32_t HappensBefore::take_ordinary(const StepRecord* made, std::uint32_t step, std::uint32_t stop) {
  constexpr unsigned kNotOrdinary = Kind::All | Kind::CarefulAll | Kind::Unknown;
  constexpr unsigned kSpecial = Kind::Both | Kind::Creates | Kind::OwnBirth;
  const ObjectId room = used_;
  const std::size_t task_count = tasks_.size();
  Object* const objects = objects_.data();
  Task* const tasks = tasks_.data();
  GraphHash sum = sum_;
  for (; step < stop; ++step) {
    const StepRecord& one = made[step];
    const unsigned kind = kKinds.of[static_cast<unsigned>(one.operation)];
    if ((kind & kNotOrdinary) != 0 || one.task >= task_count || one.object >= room || one.variant == kTimeout) break;
    const bool writes = (one.flags & StepFlags::Wrote) != 0 && (kind & Kind::MayWrite) != 0 &&
                        (one.result == 0 || !is_failed_try(one.operation, one.result));
    ObjectId id = one.object;
    GraphHash past = all_;
    if ((kind & kSpecial) != 0) [[unlikely]] {
      if ((kind & Kind::Both) != 0 && one.object2 >= room) break;
      if ((kind & Kind::OwnBirth) != 0) id = kNoObject;
      past += further_past(one, kind, writes);
    }
    Object& object = objects[id];
    Task& task = tasks[one.task];
    past += past_of(object, writes);
    const GraphHash own = mix(task.last, ordinary_label_of(one, writes), past);
    task.last = own;
    task.started = true;
    sum += own;
    if (id != kNoObject) leave(object, own, writes);
    if ((kind & kSpecial) != 0) [[unlikely]] {
      if ((kind & Kind::Creates) != 0) note_creation(one.task, own);
      if ((kind & Kind::Both) != 0 && one.object2 != kNoObject) leave(objects[one.object2], own, writes);
    }
  }
  sum_ = sum;
  return step;
}

// Goes back to where the execution leaves the one before it; returns the first step that has not been taken.
std::uint32_t HappensBefore::begin(const Execution& execution, std::uint32_t most) {
  const bool goes_on = execution.kept_steps != 0 && last_plan_ == execution.kept_of;
  last_plan_.reset();
  const std::uint32_t latest = std::min(goes_on ? execution.kept_steps : 0, most);
  const Landmark* kept = find_kept(execution.bookmark);
  if (kept != nullptr && (kept->step > most || kept->step <= latest)) kept = nullptr;
  while (landmark_count_ > 0 && landmarks_[landmark_count_ - 1].step > latest) --landmark_count_;
  std::fill_n(objects_.begin(), std::min<std::size_t>(used_, objects_.size()), Object());
  used_ = 0;
  sum_ = all_ = created_ = {};
  creator_ = kNoTask;
  plain_ = true;
  name_tasks(execution);
  next_landmark_ = kInterval;
  std::uint32_t step = 0;
  if (kept != nullptr) {
    restore(*kept);
    step = kept->step;
    remember(step);
  } else if (landmark_count_ > 0) {
    restore(landmarks_[landmark_count_ - 1]);
    step = landmarks_[landmark_count_ - 1].step;
  }
  know_objects(execution);
  // Where this one leaves the one before, the next one is likely to leave it too.
  const auto size = static_cast<std::uint32_t>(tasks_.size() + used_);
  if (goes_on && latest - step >= std::max(kWorthwhile, size)) next_landmark_ = std::min(next_landmark_, latest);
  next_made_ = 0;
  find_next_made(execution, step);
  return step;
}

void HappensBefore::find_next_made(const Execution& execution, std::uint32_t step) {
  const auto& made = execution.bookmarks_made;
  while (next_made_ < made.size() && made[next_made_].step < step) ++next_made_;
  keep_at_ = next_made_ < made.size() ? made[next_made_].step : kAnywhere;
}

void HappensBefore::know_objects(const Execution& execution) {
  const ObjectId last = execution.objects.empty() ? kNoObject : execution.objects.back().object;
  used_ = std::max(used_, std::min(last, kMostObjects - 1) + 1);
  if (used_ > objects_.size()) make_room(used_);
}

void HappensBefore::name_tasks(const Execution& execution) {
  if (names_hold(execution)) {
    tasks_.resize(names_.size());
    for (std::size_t task = 0; task < names_.size(); ++task) tasks_[task] = {names_[task], {}, false};
    return;
  }
  tasks_.clear();
  names_.clear();
  parents_.clear();
  children_.assign(execution.tasks.size(), 0);
  for (const TaskRecord& record : execution.tasks) {
    if (record.parent < tasks_.size()) {
      tasks_.push_back({mix(tasks_[record.parent].last, ++children_[record.parent], {}), {}, false});
    } else {
      add_unnamed_task();
    }
    names_.push_back(tasks_.back().last);
    parents_.push_back(record.parent);
  }
}

// Are the tasks called what they were called in the last execution?
bool HappensBefore::names_hold(const Execution& execution) const {
  const auto same = [](const TaskRecord& record, TaskId parent) { return record.parent == parent; };
  return execution.tasks.size() == parents_.size() &&
         std::equal(execution.tasks.begin(), execution.tasks.end(), parents_.begin(), same);
}

// Nothing is known of it but its number.
void HappensBefore::add_unnamed_task() {
  tasks_.push_back({mix({}, std::uint64_t{tasks_.size()} << 32, {}), {}, false});
}

void HappensBefore::restore(const Landmark& landmark) {
  while (tasks_.size() < landmark.tasks.size()) add_unnamed_task();
  for (std::size_t task = 0; task < landmark.tasks.size(); ++task)
    if (landmark.tasks[task].started) tasks_[task] = landmark.tasks[task];
  used_ = static_cast<ObjectId>(landmark.objects.size());
  if (used_ > objects_.size()) make_room(used_);
  std::copy(landmark.objects.begin(), landmark.objects.end(), objects_.begin());
  sum_ = landmark.sum;
  all_ = landmark.all;
  created_ = landmark.created;
  creator_ = landmark.creator;
  plain_ = landmark.plain;
  const auto size = static_cast<std::uint32_t>(landmark.tasks.size() + landmark.objects.size());
  next_landmark_ = landmark.step + std::max(kInterval, 2 * size);  // so that they take no more than the steps
}

// Their numbers follow each other.
HappensBefore::Kept& HappensBefore::place_for(std::uint64_t bookmark) {
  const std::size_t bytes = sizeof(Kept) + tasks_.size() * sizeof(Task) + used_ * sizeof(Object);
  const std::size_t room = std::bit_floor(std::clamp<std::size_t>(kKeptBytes / bytes, 1, kMostKept));
  const std::size_t place = bookmark % room;
  if (place >= kept_.size()) kept_.resize(place + 1);
  return kept_[place];
}

const HappensBefore::Landmark* HappensBefore::find_kept(std::uint64_t bookmark) const {
  if (bookmark == 0) return nullptr;
  for (std::size_t room = kMostKept; room != 0; room /= 2)
    if (bookmark % room < kept_.size() && kept_[bookmark % room].bookmark == bookmark)
      return &kept_[bookmark % room].landmark;
  return nullptr;
}

// For those that go on from the bookmark that was made here.
void HappensBefore::keep(const Execution& execution, std::uint32_t step) {
  const std::uint64_t bookmark = execution.bookmarks_made[next_made_++].number;
  Kept& kept = place_for(bookmark);
  kept.bookmark = bookmark;
  fill(kept.landmark, step);
  find_next_made(execution, step);
}

void HappensBefore::remember(std::uint32_t step) {
  if (landmark_count_ == landmarks_.size()) landmarks_.emplace_back();
  fill(landmarks_[landmark_count_++], step);
  next_landmark_ = step + std::max(kInterval, 2 * static_cast<std::uint32_t>(tasks_.size() + used_));
}

void HappensBefore::fill(Landmark& landmark, std::uint32_t step) const {
  landmark.step = step;
  landmark.sum = sum_;
  landmark.all = all_;
  landmark.created = created_;
  landmark.creator = creator_;
  landmark.plain = plain_;
  landmark.tasks = tasks_;
  landmark.objects.assign(objects_.begin(), objects_.begin() + used_);
}

}  // namespace heddle
