// The dependence relation on steps: when could swapping two neighbouring steps of different tasks matter? Driver and
// runtime decide it by this one definition.
//
// Two steps are dependent when
//   - one is the end of the process (OperationTraits::All), or of a kind whose effect on others is not known (except
//     calls on descriptors, see below), or
//   - they access one object and at least one of them changed it, or
//   - both create a task: its number is the next one, and plans name tasks by number, or
//   - both depend on what is outside of the program. Sleeps: programs take them for synchronization, and may be wrong
//     about which is over first. Reads, writes and waits on descriptors: only the kernel knows how one affects the
//     others. (A happens-before graph does not tell that, so partial-order reduction uses a finer relation here.)
// A step accesses its `object`. A condition wait also accesses its second object: it releases the mutex. The second
// object of a mutex reacquire only names the condition variable. The start of a thread, and the next step of its
// creator, come after its creation anyway. Its end need not wait for either.
//
// A fence of memory_order_seq_cst (it is a step in weak memory only) depends on the other fences, and on the operations
// with that order: those are what it has a place among. What else it does it does to its own task. Where the record
// does not tell which operations have that order, the fence depends on everything.
//
// Where the record tells (StepFlags::Wrote), what happened counts, not what could have happened:
//   - a failed trylock only looked: two of them are independent
//   - a wait that ended by its deadline changed nothing but its own place in the queue: like a failed try, it found its
//     object taken. It moved the virtual clock, but that orders nothing: where a timeout may fire while others can go
//     on, it may fire whichever deadlines are over. Where it may not, it depends on everything (with_time()).
//   - a compare-exchange that failed only looked
//   - a signal without waiters only looked: the order of two such signals does not matter; the order of one and a wait
//     does
//   - which waiter a signal wakes is part of the step (its variant), not of the relation
#pragma once

#include <cerrno>

#include "protocol/operations.h"
#include "protocol/records.h"

namespace heddle {

struct Access {
  ObjectId object = kNoObject;
  ObjectId second = kNoObject;
  bool wrote = false;
  bool everything = false;
  bool outside = false;
  bool creates = false;
  bool fence = false;       // with memory_order_seq_cst
  bool sequential = false;  // another operation with that order
};

// Tries that found the object taken.
inline bool is_failed_try(OperationKind kind, std::int32_t result) {
  if (result != EBUSY && result != EAGAIN) return false;
  switch (kind) {
    case OperationKind::ThreadTryJoin:
    case OperationKind::MutexTryLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
    case OperationKind::SemaphoreTryWait:
    case OperationKind::SpinTryLock:
      return true;
    default:
      return false;
  }
}

inline bool is_atomic_access(OperationKind kind) {
  return kind == OperationKind::AtomicLoad || kind == OperationKind::AtomicStore ||
         kind == OperationKind::AtomicUpdate || kind == OperationKind::AtomicCompareExchange;
}

// Operations whose effect on others goes through their objects alone. Signals and cancellation end waits of any kind;
// what goes on in other processes and in the kernel is not in the record.
inline bool has_known_effect(OperationKind kind) {
  // The end of a thread hands over what others wait for in these.
  if (kind == OperationKind::FutexLock || kind == OperationKind::FutexLocked) return false;
  // It depends on more than its object: with_order_marked().
  if (kind == OperationKind::AtomicFence) return false;
  // They access more objects than a record can name.
  if (is_of_range(kind)) return false;
  switch (object_kind(kind)) {
    case ObjectKind::Thread:
      return kind <= OperationKind::ThreadExit;
    case ObjectKind::None:
      return kind == OperationKind::Yield || kind == OperationKind::Sleep || kind == OperationKind::ThreadCreate ||
             kind == OperationKind::Choose || kind == OperationKind::Initialize || kind == OperationKind::ObjectFree ||
             kind == OperationKind::ClockRead;
    default:
      return object_kind(kind) <= ObjectKind::Memory;
  }
}

// `wrote`: the step changed its object, or, before it is taken, may do so.
inline Access access_of(OperationKind kind, ObjectId object, ObjectId object2, bool wrote) {
  const std::uint8_t own = traits(kind);
  Access access;
  access.object = kind == OperationKind::ThreadStart || kind == OperationKind::ThreadCreated ? kNoObject : object;
  access.second = (own & OperationTraits::Both) != 0 ? object2 : kNoObject;
  access.wrote = wrote && (own & OperationTraits::Write) != 0;
  // Others learn of what goes through a descriptor by descriptors, by time and by signals. What else is done to
  // one (it is closed, its flags are changed) others may also see by calls that are no steps.
  const bool descriptor = object_kind(kind) == ObjectKind::Descriptor;
  const bool goes_through =
      descriptor && kind != OperationKind::DescriptorControl && kind != OperationKind::DescriptorOpen;
  access.everything = (own & OperationTraits::All) != 0 || (!goes_through && !has_known_effect(kind));
  access.outside = descriptor || kind == OperationKind::Sleep;
  access.creates = kind == OperationKind::ThreadCreate;
  return access;
}

// Where no timeout fires early, time passes only when nothing else can go on: whatever went on came before it.
inline Access with_time(Access access, bool timeout_fired, bool early_timeouts) {
  access.everything = access.everything || (timeout_fired && !early_timeouts);
  return access;
}

// `marks`: as recorded for partial-order reduction, which says the memory order.
inline Access with_order_marked(Access access, OperationKind kind, std::uint8_t marks) {
  access.fence = kind == OperationKind::AtomicFence;
  access.everything = access.everything && !access.fence;
  access.sequential = is_atomic_access(kind) && (marks & StepMarks::Sequential) != 0;
  return access;
}

// The end of a thread leaves signals that are for the whole process, and that it has not taken, to any other thread,
// and the robust mutexes that it holds to those who wait for them. Its result says whether there were any (or any
// signals of its own, which are gone then).
inline bool leaves_to_others(OperationKind kind, std::int32_t result) {
  return result != 0 && kind == OperationKind::ThreadExit;
}
inline Access with_what_is_left(Access access, OperationKind kind, std::int32_t result) {
  access.everything = access.everything || leaves_to_others(kind, result);
  return access;
}

// `same(a, b)`: may these be one object? None is kNoObject.
template <typename Same>
bool dependent(const Access& one, const Access& other, Same same) {
  if (one.everything || other.everything) return true;
  if ((one.outside && other.outside) || (one.creates && other.creates)) return true;
  if ((one.fence && other.sequential) || (one.sequential && other.fence)) return true;
  if (!one.wrote && !other.wrote) return false;
  const auto names = [same](const Access& access, ObjectId object) {
    return object != kNoObject && ((access.object != kNoObject && same(access.object, object)) ||
                                   (access.second != kNoObject && same(access.second, object)));
  };
  return names(other, one.object) || names(other, one.second);
}

inline bool dependent(const Access& one, const Access& other) {
  return dependent(one, other, [](ObjectId a, ObjectId b) { return a == b; });
}

}  // namespace heddle
