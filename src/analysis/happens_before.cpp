// See happens_before.h.
#include "analysis/happens_before.h"

#include <algorithm>
#include <bit>

#include "protocol/dependence.h"

namespace heddle {
namespace {

constexpr std::uint32_t kWorthwhile = 32;  // so many steps not taken again are worth a landmark
constexpr std::uint32_t kInterval = 256;   // steps between landmarks, at least
constexpr std::size_t kMostKept = std::size_t{2} * kMostBookmarks;
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

// What is asked about the operation of every step: read from operations.def, so that no call is needed.
struct Traits : OperationTraits {
  static constexpr std::uint8_t of[] = {
      0,
#define HEDDLE_OPERATION(name, text, object, traits) static_cast<std::uint8_t>(traits),
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
  };
};

// What Relation::Careful orders with every other step, whatever the record says of it.
struct OrdersAll {
  bool of[static_cast<unsigned>(OperationKind::Count)] = {};
  OrdersAll() noexcept {
    for (unsigned kind = 1; kind < static_cast<unsigned>(OperationKind::Count); ++kind) {
      const auto operation = static_cast<OperationKind>(kind);
      of[kind] = !has_known_effect(operation) || object_kind(operation) == ObjectKind::Once ||
                 operation == OperationKind::Sleep || operation == OperationKind::ConditionWake;
    }
  }
};
const OrdersAll kOrdersAll;

std::uint64_t label_of(const StepRecord& step, bool writes) {
  return static_cast<std::uint64_t>(step.operation) | (writes ? 0x100u : 0u) |
         static_cast<std::uint64_t>(step.variant) << 16 | std::uint64_t{static_cast<std::uint32_t>(step.result)} << 32;
}

}  // namespace

inline GraphHash HappensBefore::past_of(const Object& object, bool writes) {
  GraphHash past = object.write;
  if (writes) past += object.reads;
  return past;
}

inline void HappensBefore::leave(ObjectId id, const GraphHash& step, bool writes) {
  Object& object = objects_[id];
  if (writes) {
    object.write = step;
    object.reads = {};
  } else {
    object.reads += step;
  }
}

[[gnu::always_inline]] inline HappensBefore::Object& HappensBefore::access(ObjectId id) {
  const bool untouched = id >= objects_.size() || (objects_[id].write.a == 0 && objects_[id].reads.a == 0);
  if (untouched) [[unlikely]]
    touch(id);
  return objects_[id];
}

[[gnu::noinline]] void HappensBefore::touch(ObjectId id) {
  if (id >= objects_.size()) objects_.resize(id + 1u);
  touched_.push_back(id);
}

bool HappensBefore::is_ordered_with_all(const StepRecord& step) {
  const auto kind = static_cast<unsigned>(step.operation);
  return (Traits::of[kind] & Traits::All) != 0 || step.variant == kTimeout || kOrdersAll.of[kind];
}

inline bool HappensBefore::makes_sense(const StepRecord& step) const {
  return step.operation < OperationKind::Count && step.object < kMostObjects && step.object2 < kMostObjects;
}

[[gnu::always_inline]] inline HappensBefore::Effect HappensBefore::effect_of(const StepRecord& step) {
  const auto kind = static_cast<unsigned>(step.operation);
  const std::uint8_t traits = Traits::of[kind];
  Effect effect;
  effect.writes = (step.flags & StepFlags::Wrote) != 0 && (traits & Traits::Write) != 0 &&
                  !is_failed_try(step.operation, step.result);
  effect.everything = (traits & Traits::All) != 0;
  if (careful_) {
    effect.everything = effect.everything || step.variant == kTimeout || kOrdersAll.of[kind];
  }
  effect.creates = step.operation == OperationKind::ThreadCreate;
  effect.second = (traits & Traits::Both) != 0 ? step.object2 : kNoObject;
  effect.past = effect.everything ? sum_ : all_;
  const bool own_birth = step.operation == OperationKind::ThreadStart || step.operation == OperationKind::ThreadCreated;
  effect.first = own_birth ? kNoObject : step.object;  // see dependence.h
  if (effect.first != kNoObject) effect.past += past_of(access(effect.first), effect.writes);
  if (effect.second != kNoObject) {
    const GraphHash other = past_of(access(effect.second), effect.writes);
    effect.past += {std::rotl(other.a, 32), std::rotl(other.b, 32)};
  }
  if (effect.creates) effect.past += careful_ ? created_ : tasks_[step.task].created;
  return effect;
}

[[gnu::always_inline]] inline void HappensBefore::take(const StepRecord& step) {
  const Effect effect = effect_of(step);
  Task& task = tasks_[step.task];
  const GraphHash own = mix(task.last, label_of(step, effect.writes), effect.past);
  task.last = own;
  task.started = true;
  if (effect.first != kNoObject) leave(effect.first, own, effect.writes);
  if (effect.second != kNoObject) leave(effect.second, own, effect.writes);
  sum_ += own;
  if (effect.everything) {
    all_ = own;
    if ((Traits::of[static_cast<unsigned>(step.operation)] & Traits::All) == 0) plain_ = false;
  }
  if (!effect.creates) return;
  created_ = task.created = own;
  if (creator_ != kNoTask && creator_ != step.task) plain_ = false;
  creator_ = step.task;
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
  std::uint32_t step = begin(execution, kAnywhere);
  if (execution.damaged) return {};
  for (; step < steps; ++step)
    if (!advance(execution, step)) return {};
  finish(execution);
  return sum_;
}

bool HappensBefore::advance(const Execution& execution, std::uint32_t step) {
  if (step >= next_landmark_) remember(step);
  if (step == keep_at_) [[unlikely]]
    keep(execution);
  const StepRecord& made = execution.steps[step];
  if (!makes_sense(made)) return false;
  while (made.task >= tasks_.size()) add_unnamed_task();
  take(made);
  return true;
}

// Goes back to where the execution leaves the one before it; returns the first step that has not been taken.
std::uint32_t HappensBefore::begin(const Execution& execution, std::uint32_t most) {
  const bool goes_on = execution.kept_steps != 0 && last_plan_ == execution.kept_of;
  last_plan_.reset();
  const std::uint32_t latest = std::min(goes_on ? execution.kept_steps : 0, most);
  const Kept* kept = execution.bookmark != 0 && !goes_on ? find_kept(execution) : nullptr;
  if (kept != nullptr && kept->landmark.step > most) kept = nullptr;
  while (landmark_count_ > 0 && landmarks_[landmark_count_ - 1].step > latest) --landmark_count_;
  for (const ObjectId id : touched_) objects_[id] = {};
  touched_.clear();
  sum_ = all_ = created_ = {};
  creator_ = kNoTask;
  plain_ = true;
  name_tasks(execution);
  next_landmark_ = kInterval;
  std::uint32_t step = 0;
  if (kept != nullptr) {
    landmark_count_ = 0;
    restore(kept->landmark);
    step = kept->landmark.step;
    remember(step);
  } else if (landmark_count_ > 0) {
    restore(landmarks_[landmark_count_ - 1]);
    step = landmarks_[landmark_count_ - 1].step;
  }
  // Where this one leaves the one before, the next one is likely to leave it too.
  const auto size = static_cast<std::uint32_t>(tasks_.size() + touched_.size());
  if (goes_on && latest - step >= std::max(kWorthwhile, size)) next_landmark_ = std::min(next_landmark_, latest);
  keep_at_ = execution.bookmark != 0 && step < execution.kept_steps ? execution.kept_steps : kAnywhere;
  return step;
}

void HappensBefore::name_tasks(const Execution& execution) {
  tasks_.clear();
  children_.assign(execution.tasks.size(), 0);
  for (const TaskRecord& record : execution.tasks) {
    if (record.parent < tasks_.size()) {
      tasks_.push_back({mix(tasks_[record.parent].last, ++children_[record.parent], {}), {}, false});
    } else {
      add_unnamed_task();
    }
  }
}

// Nothing is known of it but its number.
void HappensBefore::add_unnamed_task() {
  tasks_.push_back({mix({}, std::uint64_t{tasks_.size()} << 32, {}), {}, false});
}

void HappensBefore::restore(const Landmark& landmark) {
  while (tasks_.size() < landmark.tasks.size()) add_unnamed_task();
  for (std::size_t task = 0; task < landmark.tasks.size(); ++task)
    if (landmark.tasks[task].started) tasks_[task] = landmark.tasks[task];
  for (const Touched& object : landmark.objects) access(object.id) = object.state;
  sum_ = landmark.sum;
  all_ = landmark.all;
  created_ = landmark.created;
  creator_ = landmark.creator;
  plain_ = landmark.plain;
  const auto size = static_cast<std::uint32_t>(landmark.tasks.size() + landmark.objects.size());
  next_landmark_ = landmark.step + std::max(kInterval, 2 * size);  // so that they take no more than the steps
}

const HappensBefore::Kept* HappensBefore::find_kept(const Execution& execution) const {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.bookmark == execution.bookmark; });
  return found != kept_.end() ? &*found : nullptr;
}

// For the next one that goes on from the same bookmark.
void HappensBefore::keep(const Execution& execution) {
  if (kept_.size() < kMostKept) kept_.emplace_back();
  Kept& kept = kept_[next_kept_++ % kMostKept];
  kept.bookmark = execution.bookmark;
  fill(kept.landmark, execution.kept_steps);
}

void HappensBefore::remember(std::uint32_t step) {
  if (landmark_count_ == landmarks_.size()) landmarks_.emplace_back();
  fill(landmarks_[landmark_count_++], step);
  next_landmark_ = step + std::max(kInterval, 2 * static_cast<std::uint32_t>(tasks_.size() + touched_.size()));
}

void HappensBefore::fill(Landmark& landmark, std::uint32_t step) const {
  landmark.step = step;
  landmark.sum = sum_;
  landmark.all = all_;
  landmark.created = created_;
  landmark.creator = creator_;
  landmark.plain = plain_;
  landmark.tasks = tasks_;
  landmark.objects.clear();
  for (const ObjectId id : touched_) landmark.objects.push_back({id, objects_[id]});
}

}  // namespace heddle
