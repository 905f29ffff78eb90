// See vector_clocks.h.
#include "model/vector_clocks.h"

#include "model/task_set.h"

namespace heddle::model {
namespace {

constexpr std::uint32_t kPlaces = 1u << 22;  // a power of two
constexpr std::uint32_t kMostPlaces = kPlaces / 4 * 3;
constexpr std::size_t kEpochs = std::size_t{1} << 29;  // 2 GB
constexpr Epoch kLastBase = 0xf0000000u;               // an execution has 268 million epochs at least
constexpr std::uint32_t kFirstCapacity = 4;

std::uint32_t place_of(ClockKey key) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;
  return static_cast<std::uint32_t>((key * kGolden) >> 42) & (kPlaces - 1);
}

}  // namespace

bool VectorClocks::make_room(Reserve reserve) {
  tasks_ = static_cast<Task*>(reserve(sizeof(Task) * kMaxTasks));
  places_ = static_cast<Place*>(reserve(sizeof(Place) * kPlaces));
  epochs_ = static_cast<Epoch*>(reserve(sizeof(Epoch) * kEpochs));
  return tasks_ != nullptr && places_ != nullptr && epochs_ != nullptr;
}

bool VectorClocks::begin_execution() {
  base_ = counter_;
  epochs_used_ = 0;
  places_used_ = 0;
  exhausted_ = false;
  if (base_ >= kLastBase) return false;
  tasks_[0] = Task();
  advance(0);
  return true;
}

void VectorClocks::add_task(TaskId task, TaskId creator) {
  tasks_[task] = Task();
  copy(tasks_[task].clock, tasks_[creator].clock);
  advance(task);
  advance(creator);
}

// The task's next epoch begins.
void VectorClocks::advance(TaskId task) {
  Task& state = tasks_[task];
  if (counter_ == UINT32_MAX || !grow(state.clock, task + std::uint32_t{1})) {
    exhausted_ = true;
    return;
  }
  state.epoch = ++counter_;
  state.clock.epochs[task] = state.epoch;
}

bool VectorClocks::grow(Clock& clock, std::uint32_t size) {
  if (size <= clock.size) return true;
  if (size > clock.capacity) {
    std::uint32_t capacity = kFirstCapacity;
    while (capacity < size) capacity *= 2;
    if (epochs_used_ + capacity > kEpochs) return false;
    Epoch* const epochs = epochs_ + epochs_used_;
    epochs_used_ += capacity;
    for (std::uint32_t i = 0; i < clock.size; ++i) epochs[i] = clock.epochs[i];
    clock.epochs = epochs;
    clock.capacity = capacity;
  }
  for (std::uint32_t i = clock.size; i < size; ++i) clock.epochs[i] = 0;
  clock.size = size;
  return true;
}

void VectorClocks::join(Clock& to, const Clock& from) {
  if (!grow(to, from.size)) {
    exhausted_ = true;
    return;
  }
  for (std::uint32_t i = 0; i < from.size; ++i)
    if (to.epochs[i] < from.epochs[i]) to.epochs[i] = from.epochs[i];
}

void VectorClocks::copy(Clock& to, const Clock& from) {
  to.size = 0;
  join(to, from);
}

// Null: it is not there, or (`add`) there is no room.
VectorClocks::Clock* VectorClocks::find(ClockKey key, bool add) {
  std::uint32_t index = place_of(key);
  // Places of earlier executions are free: none of the present one is behind a free one.
  for (; places_[index].base == base_ + 1; index = (index + 1) & (kPlaces - 1))
    if (places_[index].key == key) return &places_[index].clock;
  if (!add) return nullptr;
  if (places_used_ == kMostPlaces) {
    exhausted_ = true;
    return nullptr;
  }
  ++places_used_;
  places_[index] = {key, base_ + 1, 0, Clock()};
  return &places_[index].clock;
}

void VectorClocks::acquire(TaskId task, ClockKey key) {
  if (const Clock* clock = find(key, false); clock != nullptr) join(tasks_[task].clock, *clock);
}

void VectorClocks::release(TaskId task, ClockKey key) {
  if (Clock* clock = find(key, true); clock != nullptr) join(*clock, tasks_[task].clock);
  advance(task);
}

void VectorClocks::replace(TaskId task, ClockKey key) {
  if (Clock* clock = find(key, true); clock != nullptr) copy(*clock, tasks_[task].clock);
  advance(task);
}

void VectorClocks::forget(ClockKey key) {
  if (Clock* clock = find(key, false); clock != nullptr) clock->size = 0;
}

void VectorClocks::acquire_at_fence(TaskId task, ClockKey key) {
  if (const Clock* clock = find(key, false); clock != nullptr) join(tasks_[task].seen_relaxed, *clock);
}

void VectorClocks::acquire_fence(TaskId task) { join(tasks_[task].clock, tasks_[task].seen_relaxed); }

void VectorClocks::release_fence(TaskId task) {
  copy(tasks_[task].at_release_fence, tasks_[task].clock);
  advance(task);
}

void VectorClocks::release_at_fence(TaskId task, ClockKey key) {
  const Clock& fence = tasks_[task].at_release_fence;
  if (fence.size == 0) return;
  if (Clock* clock = find(key, true); clock != nullptr) join(*clock, fence);
}

void VectorClocks::replace_at_fence(TaskId task, ClockKey key) {
  forget(key);
  release_at_fence(task, key);
}

}  // namespace heddle::model
