// The objects of the program, each kind as its state.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

// A queue of tasks, linked through Task::queue_next/queue_previous. A task is in at most one.
struct TaskQueue {
  TaskId first = kNoTask;
  TaskId last = kNoTask;
  std::uint16_t count = 0;
};

enum class MutexType : std::uint8_t { Normal, Recursive, ErrorCheck };

struct MutexState {
  MutexType type = MutexType::Normal;
  bool robust = false;
  bool owner_died = false;       // the next owner gets EOWNERDEAD
  bool inconsistent = false;     // locked with EOWNERDEAD and not yet made consistent
  bool not_recoverable = false;  // unlocked while inconsistent: ENOTRECOVERABLE for ever
  std::uint16_t ceiling = 0;     // for the runtime: of PTHREAD_PRIO_PROTECT; else 0
  TaskId owner = kNoTask;
  std::uint32_t depth = 0;  // of a recursive mutex
  Site taken_at = 0;
};

struct ConditionState {
  TaskQueue waiters;           // in the order of arrival
  ObjectId mutex = kNoObject;  // what the present waiters used
  std::uint32_t round = 0;     // grows with each signal and broadcast
};

struct RwLockState {
  TaskId writer = kNoTask;
  std::uint16_t readers = 0;
  bool prefer_writer = false;  // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: readers wait behind a waiting writer
  TaskId last_reader = kNoTask;
  Site taken_at = 0;
};

struct SemaphoreState {
  std::uint32_t value = 0;
};

struct BarrierState {
  std::uint32_t threshold = 0;
  std::uint32_t arrived = 0;
  std::uint32_t leaving = 0;      // released and not yet gone; the barrier may be destroyed only at 0
  std::uint32_t round = 0;        // grows with each round that ends
  std::uint32_t interrupted = 0;  // arrived in this round, and in a signal handler now
  TaskQueue waiters;
};

struct SpinLockState {
  TaskId owner = kNoTask;
  Site taken_at = 0;
};

struct OnceState {
  TaskId runner = kNoTask;
  bool done = false;
  Site taken_at = 0;
  std::uint64_t known_to = 0;  // by task, of the first 64: it has seen that it is done
};

struct FutexState {
  TaskQueue waiters;
  TaskId owner = kNoTask;  // by FutexLock
  Site taken_at = 0;
};

struct MemoryState {
  std::uint32_t changes = 0;
};

struct ThreadState {
  TaskId task = kNoTask;
  TaskId joiner = kNoTask;  // who waits to join it
  bool ended = false;
  bool detached = false;
  bool joined = false;
};

// Why an object is not there any more. Each operation on it is a misuse then.
enum class Gone : std::uint8_t {
  No,
  Destroyed,  // by its own operation
  Freed       // its memory was given back
};

struct Object {
  ObjectKind kind = ObjectKind::None;
  Gone gone = Gone::No;
  bool recorded = false;        // for the runtime: the present execution's record has it
  std::uint8_t gate_state = 0;  // what those who stand at its gate have been reported to have (changes.h)
  std::uint16_t freed_in = 0;   // for the runtime: its offset in the block that was given back
  TaskId creator = 0;
  std::uint32_t sequence = 0;  // how many objects of its kind came before it
  std::uint16_t at_gate = 0;   // how many stand there
  std::uint64_t address = 0;
  Site created_at = 0;
  TaskId pending_first = kNoTask;  // tasks whose pending operation names this object (as `object`), linked through Task
  union {
    MutexState mutex;
    ConditionState condition;
    RwLockState rwlock;
    SemaphoreState semaphore;
    BarrierState barrier;
    SpinLockState spinlock;
    OnceState once;
    FutexState futex;
    MemoryState memory;
    ThreadState thread;
  };
  Object() : thread() {}
  bool is_gone() const { return gone != Gone::No; }
};

}  // namespace heddle::model
