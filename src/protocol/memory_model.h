// Which values a load may read (model/weak_memory.h).
#pragma once

#include <cstdint>

namespace heddle {

enum class MemoryModel : std::uint8_t {
  Sc,   // the newest
  Tso,  // what x86 allows: a thread may see the stores of the others late
  Rc11  // what the C++ memory orders allow
};

// So often at most a thread reads one store though there is a newer one. A loop that waits would do so for ever.
constexpr int kMostOldReads = 2;

// As the compiler numbers them (__ATOMIC_RELAXED …).
enum class AtomicOrder : std::uint8_t { Relaxed, Consume, Acquire, Release, AcquireRelease, SequentiallyConsistent };

constexpr bool acquires(AtomicOrder order) { return order != AtomicOrder::Relaxed && order != AtomicOrder::Release; }
constexpr bool releases(AtomicOrder order) { return order >= AtomicOrder::Release; }

}  // namespace heddle
