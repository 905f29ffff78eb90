// Operations, objects and choices: the words that driver and runtime share. Made from operations.def.
#pragma once

#include <cstdint>

namespace heddle {

using TaskId = std::uint16_t;    // creation order; 0 is the main thread
using ObjectId = std::uint32_t;  // creation order within an execution; never an address
using Site = std::uint64_t;      // code address in the target (the return address of the intercepted call)
using Nanoseconds = std::int64_t;

inline constexpr TaskId kNoTask = 0xffff;
inline constexpr ObjectId kNoObject = 0;  // object 0 is never given out
inline constexpr Nanoseconds kNoDeadline = INT64_MAX;

enum class ObjectKind : std::uint8_t {
  None,
  Thread,
  Mutex,
  Condition,
  RwLock,
  Semaphore,
  Barrier,
  SpinLock,
  Once,
  Futex,
  Memory,  // a few bytes of the program: atomic variables, and others whose accesses are scheduling points
  Descriptor
};
inline constexpr ObjectKind kLastObjectKind = ObjectKind::Descriptor;

enum class OperationKind : std::uint8_t {
  None,
#define HEDDLE_OPERATION(name, text, object, traits) name,
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
  Count
};

// What operations.def says of a kind of operation; see there.
struct OperationTraits {
  enum : std::uint8_t { Read = 0, Write = 1, Release = 2, Yield = 4, All = 8, Both = 16 };
};

// In this header, as every step is asked for them several times.
struct OperationRow {
  ObjectKind object;
  std::uint8_t traits;
};
constexpr OperationRow make_row(ObjectKind object, unsigned traits) {
  return {object, static_cast<std::uint8_t>(traits)};
}
struct OperationRows : OperationTraits {
  static constexpr OperationRow rows[] = {
      {ObjectKind::None, 0},
#define HEDDLE_OPERATION(name, text, object, traits) make_row(ObjectKind::object, traits),
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
  };
  static constexpr const OperationRow& of(OperationKind kind) {
    const auto index = static_cast<unsigned>(kind);
    return rows[index < static_cast<unsigned>(OperationKind::Count) ? index : 0];
  }
};

constexpr std::uint8_t traits(OperationKind kind) { return OperationRows::of(kind).traits; }
constexpr ObjectKind object_kind(OperationKind kind) { return OperationRows::of(kind).object; }
const char* name(OperationKind kind);  // "mutex lock"
const char* name(ObjectKind kind);     // "mutex"

// The reverse of name(): None (for both) when the text is not in the table.
OperationKind operation_named(const char* text);
ObjectKind object_kind_named(const char* text);

// Accesses to more memory than its objects say.
constexpr bool is_of_range(OperationKind kind) {
  return kind == OperationKind::MemoryRangeRead || kind == OperationKind::MemoryRangeWrite ||
         kind == OperationKind::MemoryFree;
}

inline bool yields(OperationKind kind) { return (traits(kind) & OperationTraits::Yield) != 0; }

// Which alternative of an operation: 0 to n-1 where the operation opens n (which waiter is woken), or one of these
// three.
using Variant = std::uint16_t;
inline constexpr Variant kTimeout = 0xfffe;  // the wait ends because its time is over
// How late a thread is at a clock read where it is slow. Long enough for the deadlines that tests set for themselves,
// and too short for those that only catch a hang.
inline constexpr Nanoseconds kSlowness = 1'000'000'000;
inline constexpr Variant kSpurious = 0xfffd;  // the wait ends, or the trylock fails, for no reason

// Of a release (is_release()): it takes effect, and its task stops behind it, before the program's own code goes on.
inline constexpr Variant kStop = 0xfffc;
inline constexpr Variant kFirstSpecial = kStop;  // all ordinary ones are below

// Gives something to others, and the task goes on behind it: an unlock, a post, a signal.
constexpr bool is_release(OperationKind kind) {
  switch (kind) {
    case OperationKind::MutexUnlock:
    case OperationKind::RwUnlock:
    case OperationKind::SpinUnlock:
    case OperationKind::SemaphorePost:
    case OperationKind::ConditionSignal:
    case OperationKind::ConditionBroadcast:
      return true;
    default:
      return false;
  }
}

// In how many ways `count` of `size` can be chosen, as far as it is offered as a choice; 1 where there would be too
// many (then the first are taken). And the n-th of these ways, as a set of bits; the 0th takes the first.
std::uint16_t ways_to_choose(std::uint32_t size, std::uint32_t count);
std::uint32_t nth_way_to_choose(std::uint32_t size, std::uint32_t count, std::uint16_t n);

// A scheduling choice: who takes the next step, and which alternative of its pending operation.
struct Choice {
  TaskId task = 0;
  Variant variant = 0;
  friend bool operator==(const Choice&, const Choice&) = default;
};

}  // namespace heddle
