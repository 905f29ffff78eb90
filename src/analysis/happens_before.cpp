// See happens_before.h.
#include "analysis/happens_before.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "analysis/graph_mix.h"
#include "protocol/assert.h"
#include "protocol/dependence.h"

namespace heddle {
namespace {

constexpr std::uint32_t kWorthwhile = 8;  // so many steps not taken again are worth a landmark
constexpr std::uint32_t kInterval = 256;  // steps between landmarks, at least
constexpr std::size_t kMaxKept = 1024;    // more than there are bookmarks
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
constexpr std::uint32_t kAnywhere = ~std::uint32_t{0};
constexpr ObjectId kMostObjects = ObjectId{1} << 22;  // as many as the decoder lets through

// What a step is, besides what it follows.
struct Label {
  std::uint64_t operation;  // and variant, and whether it wrote
  std::uint64_t result;
};

// Neither `own` nor `past` is ever zero, but by chance.
[[gnu::always_inline]] inline GraphHash mix(const GraphHash& own, const Label& label, const GraphHash& past) {
  return {folded(own.a ^ label.operation, past.a ^ label.result),
          folded(own.b ^ label.operation, past.b ^ label.result)};
}

// The first eight bytes of a step: its record's kind, and
struct Word {
  static constexpr unsigned kOperation = 8, kFlags = 16, kTask = 32, kVariant = 48;
  static_assert(offsetof(StepRecord, operation) * 8 == kOperation && offsetof(StepRecord, flags) * 8 == kFlags &&
                offsetof(StepRecord, task) * 8 == kTask && offsetof(StepRecord, variant) * 8 == kVariant &&
                std::endian::native == std::endian::little);
  static constexpr std::uint64_t kWrote = std::uint64_t{StepFlags::Wrote} << kFlags;
};

[[gnu::always_inline]] inline std::uint64_t word_of(const StepRecord& step) {
  std::uint64_t word;
  std::memcpy(&word, &step, sizeof word);
  return word;
}

// What is asked about the operation of every step, in one table.
struct Kind {
  enum : std::uint8_t {
    Both = 2,
    All = 4,
    CarefulAll = 8,  // Relation::Careful orders it with every other step, whatever the record says of it
    Creates = 16,
    OwnBirth = 32,  // its object is not accessed; see dependence.h
    Unknown = 64,   // there is no such operation
    Ends = 128,     // the process is about to end: the last one in an execution is its end
    NotOrdinary = 0xff - OwnBirth,
  };
};

// By operation: what is asked about it, in the lowest byte; above, which bits of a step's first word are in its label.
// (Of the lowest byte some are, too: the same ones for all steps of an operation.)
struct Kinds {
  std::uint64_t of[256] = {};
  Kinds() noexcept {
    std::fill(std::begin(of), std::end(of), std::uint64_t{Kind::Unknown});
    for (unsigned index = 0; index < static_cast<unsigned>(OperationKind::Count); ++index)
      of[index] = kind_of(static_cast<OperationKind>(index)) | in_label(static_cast<OperationKind>(index));
  }

 private:
  static unsigned kind_of(OperationKind kind) {
    const auto bit = [](bool is, unsigned value) { return is ? value : 0u; };
    const bool all = (traits(kind) & OperationTraits::All) != 0;
    const bool careful = kind != OperationKind::None && (!has_known_effect(kind) || kind == OperationKind::Sleep ||
                                                         kind == OperationKind::ConditionWake);
    const bool birth = kind == OperationKind::ThreadStart || kind == OperationKind::ThreadCreated;
    return bit((traits(kind) & OperationTraits::Both) != 0, Kind::Both) | bit(all, Kind::All) |
           bit(all || careful, Kind::CarefulAll) | bit(kind == OperationKind::ThreadCreate, Kind::Creates) |
           bit(birth, Kind::OwnBirth) | bit(kind == OperationKind::ProcessExit, Kind::Ends);
  }
  static std::uint64_t in_label(OperationKind kind) {
    const bool may_write = (traits(kind) & OperationTraits::Write) != 0;
    return std::uint64_t{0xff} << Word::kOperation | std::uint64_t{0xffff} << Word::kVariant |
           (may_write ? Word::kWrote : 0);
  }
};
const Kinds kKinds;

std::uint64_t kind_of(const StepRecord& step) { return kKinds.of[static_cast<unsigned>(step.operation)]; }

std::uint64_t result_of(const StepRecord& step) { return static_cast<std::uint32_t>(step.result); }

// `kind`: from the table. That a wait ended by its deadline is all that counts, not whether its time was over or a
// timeout fired.
Label label_of(const StepRecord& step, std::uint64_t kind) {
  constexpr std::uint64_t kVariant = std::uint64_t{0xffff} << Word::kVariant;
  const std::uint64_t what = word_of(step) & kind;
  return {step.variant == kTimeout ? what & ~kVariant : what, result_of(step)};
}

bool makes_sense(const StepRecord& step) {
  return step.operation < OperationKind::Count && step.object < kMostObjects && step.object2 < kMostObjects;
}

}  // namespace

[[gnu::always_inline]] inline GraphHash HappensBefore::Object::past(bool writes) const {
  GraphHash past = write;
  if (writes) past += reads;
  return past;
}

[[gnu::always_inline]] inline void HappensBefore::Object::leave(const GraphHash& step, bool writes) {
  if (writes) {
    write = step;
    reads = {};
  } else {
    reads += step;
  }
}

[[gnu::always_inline]] inline void HappensBefore::note_step(Task& task, const GraphHash& own) {
  task.last = own;
  task.started = true;
  sum_ += own;
}

[[gnu::noinline]] void HappensBefore::make_room(ObjectId id) { objects_.resize(2 * std::size_t{id} + 1); }

[[gnu::always_inline]] inline void HappensBefore::note_creation(TaskId task, const GraphHash& own) {
  created_ = tasks_[task].created = own;
  if (creator_ != kNoTask && creator_ != task) plain_ = false;
  creator_ = task;
}

// Of a step that accesses a second object, or creates a task.
[[gnu::always_inline]] inline GraphHash HappensBefore::further_past(const StepRecord& step, std::uint64_t kind,
                                                                    bool writes) const {
  GraphHash past;
  if ((kind & Kind::Both) != 0 && step.object2 != kNoObject) {
    const GraphHash other = objects_[step.object2].past(writes);
    past += {std::rotl(other.a, 32), std::rotl(other.b, 32)};
  }
  if ((kind & Kind::Creates) != 0) past += careful_ ? created_ : tasks_[step.task].created;
  return past;
}

bool HappensBefore::is_ordered_with_all(const StepRecord& step) {
  return (kind_of(step) & Kind::CarefulAll) != 0 || step.variant == kTimeout;
}

[[gnu::always_inline]] inline HappensBefore::Effect HappensBefore::effect_of(const StepRecord& step) {
  const std::uint64_t kind = kind_of(step);
  const Label label = label_of(step, kind);
  Effect effect;
  effect.writes = (label.operation & Word::kWrote) != 0;
  effect.ends = (kind & Kind::Ends) != 0;
  effect.everything =
      careful_ ? (kind & Kind::CarefulAll) != 0 || step.variant == kTimeout : (kind & Kind::All) != 0 && !effect.ends;
  effect.plain = (kind & Kind::All) != 0;
  effect.creates = (kind & Kind::Creates) != 0;
  effect.birth = (kind & Kind::OwnBirth) != 0;
  GraphHash past = effect.everything ? sum_ : all_;
  if (effect.everything) past += kNoPast;
  effect.first = effect.birth ? kNoObject : step.object;
  if (effect.first >= objects_.size()) [[unlikely]]
    make_room(effect.first);
  if (effect.first != kNoObject) past += objects_[effect.first].past(effect.writes);
  if ((kind & Kind::Both) != 0) [[unlikely]] {
    effect.second = step.object2;
    if (effect.second >= objects_.size()) make_room(effect.second);
  }
  if ((kind & (Kind::Both | Kind::Creates)) != 0) [[unlikely]]
    past += further_past(step, kind, effect.writes);
  effect.own = mix(tasks_[step.task].last, label, past);
  return effect;
}

[[gnu::always_inline]] inline void HappensBefore::take(const StepRecord& step) {
  const Effect effect = effect_of(step);
  const GraphHash& own = effect.own;
  note_step(tasks_[step.task], own);
  if (effect.birth || effect.ends) no_nodes_ += own;
  ends_ += effect.ends ? 1 : 0;
  if (effect.first != kNoObject) objects_[effect.first].leave(own, effect.writes);
  used_ = std::max(used_, effect.first + 1);
  if (effect.second != kNoObject) {
    objects_[effect.second].leave(own, effect.writes);
    used_ = std::max(used_, effect.second + 1);
  }
  if (effect.everything) [[unlikely]] {
    all_ = own;
    plain_ = plain_ && effect.plain;
  }
  if (effect.creates) note_creation(step.task, own);
}

HappensBefore::Ahead HappensBefore::ahead(const StepRecord& step) {
  if (!makes_sense(step)) return {};
  while (step.task >= tasks_.size()) add_unnamed_task();
  Ahead ahead{sum_, effect_of(step).own};
  ahead.sum += ahead.own;
  return ahead;
}

// The end of the process comes after all that is in the graph.
GraphHash HappensBefore::graph(const Execution& execution) {
  GraphHash graph{sum_.a - no_nodes_.a, sum_.b - no_nodes_.b};
  if (execution.steps.empty() || execution.steps.back().operation != OperationKind::ProcessExit) return graph;
  const StepRecord& end = execution.steps.back();
  const std::vector<GraphHash>& names = names_.of(execution);
  const GraphHash name = end.task < names.size() ? names[end.task] : name_of_unnamed(end.task);
  graph += mix(name, label_of(end, kind_of(end)), graph);
  return graph;
}

bool HappensBefore::is_plain(const Execution& execution) const {
  std::size_t ends = 0;
  const std::size_t count = execution.steps.size();
  while (ends < count && execution.steps[count - ends - 1].operation == OperationKind::ProcessExit) ++ends;
  return plain_ && ends_ == ends;
}

std::optional<GraphHash> HappensBefore::hash(const Execution& execution) {
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  const std::uint32_t step = begin(execution, kAnywhere);
  if (execution.damaged || !advance(execution, step, steps)) return {};
  finish(execution);
  return graph(execution);
}

bool HappensBefore::advance(const Execution& execution, std::uint32_t step, std::uint32_t to) {
  HEDDLE_ASSERT(step <= to && to <= execution.steps.size(), "it advances within the execution");
  const StepRecord* made = execution.steps.data();
  while (step < to) {
    const std::uint32_t stop = std::min({to, next_landmark_, bookmarks_.next_step()});
    step = take_steps(made, step, stop);
    if (step < stop) return false;
    if (step == bookmarks_.next_step()) keep(execution, step);
    if (step != to && step >= next_landmark_) remember(step);
  }
  return true;
}

// Takes them up to `stop`, or up to the first that makes no sense. Most are ordered with nothing but what came before
// on their object: what take() does is said here once more for those, since it is what a search spends much of its time
// with. What is needed once for each step is left in memory: there are not registers enough for all.
std::uint32_t HappensBefore::take_steps(const StepRecord* made, std::uint32_t step, std::uint32_t stop) {
  const StepRecord* one = made + step;
  const StepRecord* const end = made + stop;
  while (one < end) {
    Object* const objects = objects_.data();
    Task* const tasks = tasks_.data();
    const std::size_t task_count = tasks_.size();
    for (; one < end; ++one) {
      const std::uint64_t word = word_of(*one);
      const std::uint64_t kind = kKinds.of[(word >> Word::kOperation) & 0xff];
      if ((kind & Kind::NotOrdinary) != 0 || one->task >= task_count || one->object >= used_ ||
          word >> Word::kVariant == kTimeout)
        break;
      Task& task = tasks[one->task];
      const bool birth = (kind & Kind::OwnBirth) != 0;
      Object& object = objects[birth ? kNoObject : one->object];
      const Label label{word & kind, result_of(*one)};
      GraphHash past = object.write;
      past += all_;
      if ((label.operation & Word::kWrote) != 0) {
        if (one->object == kNoObject) break;
        past += object.reads;
        const GraphHash own = mix(task.last, label, past);
        object = {own, {}};
        note_step(task, own);
      } else {
        const GraphHash own = mix(task.last, label, past);
        object.reads += own;
        note_step(task, own);
        if (birth) no_nodes_ += own;
      }
    }
    if (one == end) break;
    if (!makes_sense(*one)) break;
    while (one->task >= tasks_.size()) add_unnamed_task();
    take(*one++);
  }
  return static_cast<std::uint32_t>(one - made);
}

// Goes back to where the execution leaves the one before it; returns the first step that has not been taken.
std::uint32_t HappensBefore::begin(const Execution& execution, std::uint32_t most) {
  const bool goes_on = execution.kept_steps != 0 && last_plan_ == execution.kept_of;
  last_plan_.reset();
  const std::uint32_t latest = std::min(goes_on ? execution.kept_steps : 0, most);
  const Landmark* kept = bookmarks_.find(execution.bookmark);
  if (kept != nullptr && (kept->step > most || kept->step <= latest)) kept = nullptr;
  while (landmark_count_ > 0 && landmarks_[landmark_count_ - 1].step > latest) --landmark_count_;
  std::fill_n(objects_.begin(), std::min<std::size_t>(used_, objects_.size()), Object());
  used_ = 0;
  sum_ = no_nodes_ = created_ = {};
  ends_ = 0;
  all_ = kNoPast;
  creator_ = kNoTask;
  plain_ = true;
  const std::vector<GraphHash>& names = names_.of(execution);
  tasks_.resize(names.size());
  for (std::size_t task = 0; task < names.size(); ++task) tasks_[task] = {names[task], {}, false};
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
  bookmarks_.look_from(execution, step);
  return step;
}

void HappensBefore::know_objects(const Execution& execution) {
  const ObjectId last = execution.objects.empty() ? kNoObject : execution.objects.back().object;
  used_ = std::max(used_, std::min(last, kMostObjects - 1) + 1);
  if (used_ > objects_.size()) make_room(used_);
}

void HappensBefore::add_unnamed_task() { tasks_.push_back({name_of_unnamed(tasks_.size()), {}, false}); }

void HappensBefore::restore(const Landmark& landmark) {
  while (tasks_.size() < landmark.tasks.size()) add_unnamed_task();
  for (std::size_t task = 0; task < landmark.tasks.size(); ++task)
    if (landmark.tasks[task].started) tasks_[task] = landmark.tasks[task];
  used_ = static_cast<ObjectId>(landmark.objects.size());
  if (used_ > objects_.size()) make_room(used_);
  std::copy(landmark.objects.begin(), landmark.objects.end(), objects_.begin());
  sum_ = landmark.sum;
  no_nodes_ = landmark.no_nodes;
  ends_ = landmark.ends;
  all_ = landmark.all;
  created_ = landmark.created;
  creator_ = landmark.creator;
  plain_ = landmark.plain;
  const auto size = static_cast<std::uint32_t>(landmark.tasks.size() + landmark.objects.size());
  next_landmark_ = landmark.step + std::max(kInterval, 2 * size);  // so that they take no more than the steps
}

const HappensBefore::Landmark* HappensBefore::Bookmarks::find(std::uint64_t bookmark) const {
  if (bookmark == 0) return nullptr;
  for (std::size_t room = kMaxKept; room != 0; room /= 2)
    if (bookmark % room < kept_.size() && kept_[bookmark % room].bookmark == bookmark)
      return &kept_[bookmark % room].landmark;
  return nullptr;
}

void HappensBefore::Bookmarks::look_from(const Execution& execution, std::uint32_t step) {
  next_made_ = 0;
  find_next(execution, step);
}

void HappensBefore::Bookmarks::pass(const Execution& execution, std::uint32_t step) {
  ++next_made_;
  find_next(execution, step);
}

void HappensBefore::Bookmarks::find_next(const Execution& execution, std::uint32_t step) {
  const auto& made = execution.bookmarks_made;
  while (next_made_ < made.size() && made[next_made_].step < step) ++next_made_;
  next_step_ = next_made_ < made.size() ? made[next_made_].step : kAnywhere;
}

// Their numbers follow each other.
HappensBefore::Landmark& HappensBefore::Bookmarks::place_for_next(const Execution& execution, std::size_t bytes) {
  const std::uint64_t bookmark = execution.bookmarks_made[next_made_].number;
  const std::size_t room = std::bit_floor(std::clamp<std::size_t>(kKeptBytes / (sizeof(Kept) + bytes), 1, kMaxKept));
  const std::size_t place = bookmark % room;
  if (place >= kept_.size()) kept_.resize(place + 1);
  kept_[place].bookmark = bookmark;
  return kept_[place].landmark;
}

// For those that go on from the bookmark that was made here.
void HappensBefore::keep(const Execution& execution, std::uint32_t step) {
  fill(bookmarks_.place_for_next(execution, tasks_.size() * sizeof(Task) + used_ * sizeof(Object)), step);
  bookmarks_.pass(execution, step);
}

void HappensBefore::remember(std::uint32_t step) {
  if (landmark_count_ == landmarks_.size()) landmarks_.emplace_back();
  fill(landmarks_[landmark_count_++], step);
  next_landmark_ = step + std::max(kInterval, 2 * static_cast<std::uint32_t>(tasks_.size() + used_));
}

void HappensBefore::fill(Landmark& landmark, std::uint32_t step) const {
  landmark.step = step;
  landmark.sum = sum_;
  landmark.no_nodes = no_nodes_;
  landmark.ends = ends_;
  landmark.all = all_;
  landmark.created = created_;
  landmark.creator = creator_;
  landmark.plain = plain_;
  landmark.tasks = tasks_;
  landmark.objects.assign(objects_.begin(), objects_.begin() + used_);
}

}  // namespace heddle
