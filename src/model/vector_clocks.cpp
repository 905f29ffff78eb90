// See vector_clocks.h.
#include "model/vector_clocks.h"

#include <emmintrin.h>

#include "model/task_set.h"
#include "protocol/mix.h"

namespace heddle::model {
namespace {

constexpr std::uint32_t kPlaces = 1u << 22;  // a power of two
constexpr std::uint32_t kMaxPlaces = kPlaces / 4 * 3;
constexpr std::size_t kEpochs = std::size_t{1} << 29;  // 2 GB
constexpr Epoch kLastBase = 0xf0000000u;               // an execution has 268 million epochs at least
constexpr std::uint32_t kFirstCapacity = 4;
constexpr std::uint32_t kVector = 4;  // epochs are joined so many at once; capacities are multiples of it

std::uint32_t rounded(std::uint32_t size) { return (size + kVector - 1) & ~(kVector - 1); }

// Of each pair of unsigned numbers. SSE2, which every x86-64 has, compares signed ones only.
__m128i greater_of(__m128i one, __m128i other) {
  const __m128i sign = _mm_set1_epi32(INT32_MIN);
  const __m128i less = _mm_cmplt_epi32(_mm_xor_si128(one, sign), _mm_xor_si128(other, sign));
  return _mm_or_si128(_mm_and_si128(less, other), _mm_andnot_si128(less, one));
}

std::uint32_t place_of(ClockKey key) { return static_cast<std::uint32_t>((key * kGoldenRatio) >> 42) & (kPlaces - 1); }

}  // namespace

bool ClockRoom::make(Reserve reserve) {
  epochs_ = static_cast<Epoch*>(reserve(sizeof(Epoch) * kEpochs));
  return epochs_ != nullptr;
}

bool ClockRoom::grow(VectorClock& clock, std::uint32_t size) {
  if (clock.capacity == 0 && size <= kVector && used_ + kFirstCapacity <= kEpochs) {  // most need no more
    static_assert(kFirstCapacity == kVector);
    clock = {epochs_ + used_, static_cast<std::uint16_t>(size), kFirstCapacity, clock.fence};
    used_ += kFirstCapacity;
    _mm_store_si128(reinterpret_cast<__m128i*>(clock.epochs), _mm_setzero_si128());
    return true;
  }
  if (size > clock.capacity) {
    std::uint32_t capacity = kFirstCapacity;
    while (capacity < size) capacity *= 2;
    if (used_ + capacity > kEpochs) return false;
    Epoch* const epochs = epochs_ + used_;
    used_ += capacity;
    for (std::uint32_t i = 0; i < clock.size; ++i) epochs[i] = clock.epochs[i];
    clock.epochs = epochs;
    clock.capacity = static_cast<std::uint16_t>(capacity);
  }
  // To the end of the vector: what is not in use takes part in joins, and changes nothing.
  for (std::uint32_t i = clock.size; i < rounded(size); ++i) clock.epochs[i] = 0;
  clock.size = static_cast<std::uint16_t>(size);
  return true;
}

void ClockRoom::join(VectorClock& to, const VectorClock& from) {
  if (__builtin_expect(!has_room(to, from.size), 0)) {
    exhausted_ = true;
    return;
  }
  if (from.fence > to.fence) to.fence = from.fence;
  for (std::uint32_t i = 0; i < from.size; i += kVector) {
    auto* const mine = reinterpret_cast<__m128i*>(to.epochs + i);
    _mm_store_si128(
        mine, greater_of(_mm_load_si128(mine), _mm_load_si128(reinterpret_cast<const __m128i*>(from.epochs + i))));
  }
}

void ClockRoom::copy(VectorClock& to, const VectorClock& from) {
  if (__builtin_expect(from.size > to.capacity, 0) && !grow(to, from.size)) {
    exhausted_ = true;
    return;
  }
  to.size = from.size;
  to.fence = from.fence;
  for (std::uint32_t i = 0; i < from.size; i += kVector)
    _mm_store_si128(reinterpret_cast<__m128i*>(to.epochs + i),
                    _mm_load_si128(reinterpret_cast<const __m128i*>(from.epochs + i)));
}

bool VectorClocks::make_room(Reserve reserve) {
  tasks_ = static_cast<Task*>(reserve(sizeof(Task) * kMaxTasks));
  places_ = static_cast<Place*>(reserve(sizeof(Place) * kPlaces));
  return room_.make(reserve) && tasks_ != nullptr && places_ != nullptr;
}

bool VectorClocks::begin_execution() {
  base_ = counter_;
  room_.begin_execution();
  places_used_ = 0;
  exhausted_ = false;
  if (base_ >= kLastBase) return false;
  tasks_[0] = Task();
  advance(0);
  return true;
}

void VectorClocks::add_task(TaskId task, TaskId creator) {
  tasks_[task] = Task();
  room_.copy(tasks_[task].clock, tasks_[creator].clock);
  advance(task);
  advance(creator);
}

// The task's next epoch begins.
void VectorClocks::advance(TaskId task) {
  Task& state = tasks_[task];
  if (__builtin_expect(counter_ == UINT32_MAX || !room_.has_room(state.clock, task + std::uint32_t{1}), 0)) {
    exhausted_ = true;
    return;
  }
  state.epoch = ++counter_;
  state.clock.epochs[task] = state.epoch;
}

// Null: it is not there, or (`add`) there is no room.
VectorClocks::Clock* VectorClocks::find(ClockKey key, bool add) {
  std::uint32_t index = place_of(key);
  // Places of earlier executions are free: none of the present one lies after a free one.
  for (; places_[index].base == base_ + 1; index = (index + 1) & (kPlaces - 1))
    if (places_[index].key == key) return &places_[index].clock;
  if (!add) return nullptr;
  if (places_used_ == kMaxPlaces) {
    exhausted_ = true;
    return nullptr;
  }
  ++places_used_;
  places_[index] = {key, base_ + 1, 0, Clock()};
  return &places_[index].clock;
}

void VectorClocks::acquire(TaskId task, ClockKey key) {
  if (const Clock* clock = find(key, false); clock != nullptr) room_.join(tasks_[task].clock, *clock);
}

void VectorClocks::release(TaskId task, ClockKey key) {
  if (Clock* clock = find(key, true); clock != nullptr) room_.join(*clock, tasks_[task].clock);
  advance(task);
}

void VectorClocks::replace(TaskId task, ClockKey key) {
  if (Clock* clock = find(key, true); clock != nullptr) room_.copy(*clock, tasks_[task].clock);
  advance(task);
}

void VectorClocks::acquire_and_release(TaskId task, ClockKey key) {
  if (Clock* clock = find(key, true); clock != nullptr) {
    room_.join(tasks_[task].clock, *clock);
    room_.copy(*clock, tasks_[task].clock);  // which has all of it now
  }
  advance(task);
}

void VectorClocks::forget(ClockKey key) {
  if (Clock* clock = find(key, false); clock != nullptr) clock->size = 0, clock->fence = 0;
}

void VectorClocks::acquire_at_fence(TaskId task, ClockKey key) {
  if (const Clock* clock = find(key, false); clock != nullptr) room_.join(tasks_[task].seen_relaxed, *clock);
}

void VectorClocks::acquire_fence(TaskId task) { room_.join(tasks_[task].clock, tasks_[task].seen_relaxed); }

void VectorClocks::release_fence(TaskId task) {
  room_.copy(tasks_[task].at_release_fence, tasks_[task].clock);
  advance(task);
}

void VectorClocks::release_at_fence(TaskId task, ClockKey key) {
  const Clock& fence = tasks_[task].at_release_fence;
  if (fence.size == 0) return;
  if (Clock* clock = find(key, true); clock != nullptr) room_.join(*clock, fence);
}

void VectorClocks::replace_at_fence(TaskId task, ClockKey key) {
  forget(key);
  release_at_fence(task, key);
}

void VectorClocks::sequential_fence(TaskId task, std::uint32_t number) {
  if (Clock* here = find(key_of_fence(number), true); here != nullptr) {
    if (const Clock* before = find(key_of_fence(number - 1), false); before != nullptr) room_.copy(*here, *before);
    room_.join(*here, tasks_[task].clock);
  }
  tasks_[task].clock.fence = number;
  advance(task);
}

bool VectorClocks::known_at_fence(std::uint32_t number, TaskId other, Epoch epoch) {
  const Clock* const clock = find(key_of_fence(number), false);
  return epoch <= base_ || (clock != nullptr && clock->knows(other, epoch));
}

void VectorClocks::inherit(ClockKey to, ClockKey from) {
  const Clock* const source = find(from, false);
  if (source == nullptr) return;
  const Clock copied = *source;  // adding a place may not move it, but says nothing of that
  if (Clock* target = find(to, true); target != nullptr) room_.join(*target, copied);
}

}  // namespace heddle::model
