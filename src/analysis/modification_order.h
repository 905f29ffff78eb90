// Of each atomic variable of an execution the stores in modification order, and which of them each load has read. The
// record says only which alternative was taken; what the alternatives were follows from the steps before it
// (model/weak_memory.h).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// Is it an atomic operation on a variable?
bool is_atomic(const StepRecord& step);
// Does the step put a value into an atomic variable? An update does, though the value may be the one that was there.
bool is_atomic_store(const StepRecord& step);

class ModificationOrder {
 public:
  // In place of a store: the value that was there first; one that the record does not tell, since it does not say what
  // a compare-exchange expects; none.
  static constexpr std::uint32_t kFirst = 0xffffffff, kUnknown = kFirst - 1, kNone = kFirst - 2;

  struct Access {
    std::uint32_t variable = kNone;  // kNone: it is no atomic operation
    std::uint32_t read = kNone;      // the store that it has read
    bool stores = false;
  };

  void read(const Execution& execution);
  // By step.
  const Access& operator[](std::size_t step) const { return accesses_[step]; }
  // Of a variable, all stores of the execution.
  const std::vector<std::uint32_t>& stores(std::uint32_t variable) const { return variables_[variable].stores; }
  // The stores to the variable of this step that came before it, and the newest of these; kFirst: there was none.
  std::vector<std::uint32_t> stores_before(std::size_t step) const;
  std::uint32_t newest_before(std::size_t step) const;
  // The store that this step would read as `variant` of its load.
  std::uint32_t read_by(std::size_t step, Variant variant) const;
  // The store that it would stand before as `variant` of its store; kNone: behind all.
  std::uint32_t stands_before(std::size_t step, Variant variant) const;

 private:
  struct OldRead {
    TaskId task;
    std::uint32_t step, store;
  };
  struct Variable {
    std::vector<std::uint32_t> stores;
    std::vector<OldRead> old_reads;
  };
  void take(std::uint32_t step);
  std::uint32_t find_value(std::size_t step) const;

  const Execution* execution_ = nullptr;
  std::vector<Access> accesses_;
  std::map<std::pair<ObjectId, std::uint8_t>, std::uint32_t> numbers_;  // by object and offset
  std::vector<Variable> variables_;
};

}  // namespace heddle
