// What happens before what in the present execution: a vector clock for each task, and one for everything that tasks
// synchronize through (an object's channel, the address of an atomic variable).
//
// An epoch is a number that names a task's time between two releases. All epochs come from one counter that never goes
// back, not even between executions; `base()` is its value when the present execution began. So the epochs of earlier
// executions are at most `base()` and count as having happened before everything: nothing is cleared for a new
// execution.
//
// Memory is address space from the caller's `reserve`. Each task and each synchronizing place touches a part of it: 32
// bytes, and 4 bytes for each task that it knows of. When the reservation is used up, exhausted() says so, and order is
// no longer followed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

using Epoch = std::uint32_t;

// Address space, zeroed, page aligned, committed as it is touched; null when there is none.
using Reserve = void* (*)(std::size_t bytes);

// What tasks synchronize through.
using ClockKey = std::uint64_t;
// The channels of an object are apart from each other: what was released to one is acquired from that one only.
inline constexpr unsigned kChannels = 8;
inline ClockKey key_of_object(ObjectId object, unsigned channel = 0) {
  return std::uint64_t{1} << 63 | std::uint64_t{object} * kChannels | channel;
}
inline ClockKey key_of_address(std::uint64_t address) { return address; }
// What a program says of the order at an address: an atomic store there does not put itself in its place.
inline ClockKey key_of_annotation(std::uint64_t address) { return std::uint64_t{1} << 62 | address; }
// A store of a weak memory (weak_memory.h), and a sequentially consistent fence there: by their numbers.
inline ClockKey key_of_store(std::uint32_t number) { return std::uint64_t{1} << 61 | number; }
inline ClockKey key_of_fence(std::uint32_t number) { return std::uint64_t{1} << 60 | number; }

// What is known of each task, and the room that such clocks take their epochs from.
struct VectorClock {
  Epoch* epochs = nullptr;
  std::uint16_t size = 0;  // epochs of tasks from here on are 0
  std::uint16_t capacity = 0;
  std::uint32_t fence = 0;  // the last sequentially consistent fence that it knows
  bool knows(TaskId task, Epoch epoch) const { return task < size && epoch <= epochs[task]; }
};

class ClockRoom {
 public:
  bool make(Reserve reserve);  // false: there is no address space
  void begin_execution() { used_ = 0, exhausted_ = false; }
  bool has_room(VectorClock& clock, std::uint32_t size) { return size <= clock.size || grow(clock, size); }
  void join(VectorClock& to, const VectorClock& from);
  void copy(VectorClock& to, const VectorClock& from);
  bool exhausted() const { return exhausted_; }

 private:
  [[gnu::noinline]] bool grow(VectorClock& clock, std::uint32_t size);

  Epoch* epochs_ = nullptr;
  std::size_t used_ = 0;
  bool exhausted_ = false;
};

class VectorClocks {
 public:
  // False: there is no address space for them.
  bool make_room(Reserve reserve);
  // Task 0 exists, nothing has happened yet. False: the counter has come to its end; whatever has noted epochs must
  // forget them all, then restart() makes it begin anew.
  bool begin_execution();
  void restart() { counter_ = 0; }

  // What `creator` has done happens before what `task` does.
  void add_task(TaskId task, TaskId creator);
  // What the task does from now on is told apart from what it did before; nothing is ordered by that.
  void begin_epoch(TaskId task) { advance(task); }

  // The task learns of everything that was released there.
  void acquire(TaskId task, ClockKey key);
  // What the task has done so far is published there: besides what others have published, or in its place.
  void release(TaskId task, ClockKey key);
  void replace(TaskId task, ClockKey key);
  // acquire(), then release().
  void acquire_and_release(TaskId task, ClockKey key);
  // Nothing is published there any more.
  void forget(ClockKey key);

  // Fences of threads. An acquire fence orders what relaxed loads have seen before it; relaxed stores behind a release
  // fence publish what came before it.
  void acquire_at_fence(TaskId task, ClockKey key);  // a relaxed load
  void acquire_fence(TaskId task);
  void release_fence(TaskId task);
  void release_at_fence(TaskId task, ClockKey key);  // a relaxed update: what was published stays
  void replace_at_fence(TaskId task, ClockKey key);  // a relaxed store

  // Sequentially consistent fences, which have numbers from 1 on in their order. Each knows all that came before it and
  // before the earlier ones. That orders nothing by itself, but whoever comes behind a fence knows its number.
  void sequential_fence(TaskId task, std::uint32_t number);
  // The last fence before what the task does now; 0: there is none.
  std::uint32_t fence_before(TaskId task) const { return tasks_[task].clock.fence; }
  // Does it come behind what `other` did in `epoch`, or an earlier fence?
  bool known_at_fence(std::uint32_t number, TaskId other, Epoch epoch);
  // What is published at `from` is at `to`, too.
  void inherit(ClockKey to, ClockKey from);

  Epoch base() const { return base_; }
  Epoch epoch(TaskId task) const { return tasks_[task].epoch; }
  // Has `task` learned of what `other` did in `epoch`?
  bool knows(TaskId task, TaskId other, Epoch epoch) const {
    return epoch <= base_ || tasks_[task].clock.knows(other, epoch);
  }
  bool exhausted() const { return exhausted_ || room_.exhausted(); }

 private:
  using Clock = VectorClock;
  struct Task {
    Clock clock;
    Clock at_release_fence;  // size 0: there was none
    Clock seen_relaxed;
    Epoch epoch = 0;
  };
  struct Place {
    ClockKey key;
    Epoch base;  // of the execution that it belongs to; another one: it is free
    std::uint32_t reserved;
    Clock clock;
  };

  Clock* find(ClockKey key, bool add);
  void advance(TaskId task);

  Task* tasks_ = nullptr;
  Place* places_ = nullptr;
  ClockRoom room_;
  std::uint32_t places_used_ = 0;
  Epoch counter_ = 0;
  Epoch base_ = 0;
  bool exhausted_ = false;
};

}  // namespace heddle::model
