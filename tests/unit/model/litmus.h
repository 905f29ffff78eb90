// Small programs of atomic operations (litmus tests), and two ways to find out how they can end: the weak memory under
// every schedule and choice, and the axioms of RC11 over every candidate execution. The two share nothing.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "protocol/memory_model.h"

namespace heddle::model::litmus {

struct Operation {
  enum class Kind { Load, Store, Exchange, Fence } kind = Kind::Load;
  unsigned location = 0;
  AtomicOrder order = AtomicOrder::Relaxed;
  std::uint64_t value = 0;  // Store, Exchange
};

inline Operation load(unsigned location, AtomicOrder order) { return {Operation::Kind::Load, location, order, 0}; }
inline Operation store(unsigned location, std::uint64_t value, AtomicOrder order) {
  return {Operation::Kind::Store, location, order, value};
}
inline Operation exchange(unsigned location, std::uint64_t value, AtomicOrder order) {
  return {Operation::Kind::Exchange, location, order, value};
}
inline Operation fence(AtomicOrder order) { return {Operation::Kind::Fence, 0, order, 0}; }

// By thread. All locations hold 0 first.
using Program = std::vector<std::vector<Operation>>;
constexpr unsigned kLocations = 3;

// The values read, thread by thread in program order, a bar, and what the locations hold at the end: "0 1|2 1 0".
using Outcomes = std::set<std::string>;

Outcomes run_all(const Program& program, MemoryModel model);
Outcomes allowed_by_axioms(const Program& program);

}  // namespace heddle::model::litmus
