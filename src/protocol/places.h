// Places in the code, the same in every process of a program: a file, by its name, and an address in it.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle {

// Of a file's name without its folders, so that it is the same where a file is loaded from another folder each time (a
// scratch folder). Files with one name are taken for one: what is a scheduling point in one of them is one in the
// other, which is superfluous there and hides nothing. Never 0.
constexpr std::uint64_t file_key(const char* path) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325ull, kPrime = 0x100000001b3ull;  // FNV-1a
  std::uint64_t key = kBasis;
  for (; *path != '\0'; ++path) key = *path == '/' ? kBasis : (key ^ static_cast<unsigned char>(*path)) * kPrime;
  return key != 0 ? key : 1;
}

// Places in the code whose plain accesses are scheduling points, since they race. Written by the driver before the
// target starts; another set is another target, since steps are counted over scheduling points.
inline constexpr std::uint32_t kMaxPoints = 1024;
struct PointSet {
  struct Point {
    std::uint64_t file = 0;    // its file_key(); 0: `offset` is an address in this process
    std::uint64_t offset = 0;  // from the file's load bias
  };
  std::uint32_t count = 0;
  std::uint32_t reserved = 0;
  Point points[kMaxPoints] = {};
};

// Loops that wait without yielding, each by one place in it. A task that comes to the place again, for the same object
// and within `period` of its own steps, yields there, as if the program did. Steps are not counted otherwise, but what
// is the default is another: another set is another target, too.
inline constexpr std::uint32_t kMaxSpins = 64;
struct SpinSet {
  struct Spin {
    std::uint64_t file = 0;    // as of a point
    std::uint64_t offset = 0;  // likewise
    std::uint32_t period = 0;  // how many steps a round has
    std::uint32_t reserved = 0;
  };
  std::uint32_t count = 0;
  std::uint32_t reserved = 0;
  Spin spins[kMaxSpins] = {};
};

// Atomic operations whose memory order counts as stronger than the program says, where memory is weak.
inline constexpr std::uint32_t kMaxChangedOrders = 64;
enum class OrderChange : std::uint32_t {
  // Not weaker than before.
  OneWay,      // acquire of a load, release of a store, both of an update
  Sequential,  // memory_order_seq_cst
  // Not stronger than before.
  NotSequential,  // instead of memory_order_seq_cst, as OneWay
  Relaxed
};
struct ChangedOrders {
  struct Changed {
    std::uint64_t file = 0;    // as of a point
    std::uint64_t offset = 0;  // likewise
    OrderChange to = OrderChange::OneWay;
    std::uint32_t of_failure = 0;  // 1: the order of a compare-exchange that fails
  };
  std::uint32_t count = 0;
  std::uint32_t reserved = 0;
  Changed places[kMaxChangedOrders] = {};
};

}  // namespace heddle
