// Reads of old values, and stores that stand before earlier ones in modification order (--memory=tso, rc11): which
// store was read, which one was missed. The execution says only which alternative was taken; what the alternatives were
// follows from the stores before it (model/weak_memory.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "trace/execution.h"

namespace heddle {

struct OldValue {
  std::size_t step = 0;  // the load, the compare-exchange that fails, or the store
  std::optional<std::size_t>
      read;                // the store that was read; nothing: the first value. Of a store: what it stands behind
  bool known = true;       // false: which one was read can't be told
  std::size_t missed = 0;  // the newest store then; of a store: the one that it stands before
  bool is_store = false;
};

// Is it an atomic operation on a variable?
bool is_atomic(const StepRecord& step);
// Does the step put a value into an atomic variable? An update does, though the value may be the one that was there.
bool is_atomic_store(const StepRecord& step);

// In the order of steps.
std::vector<OldValue> old_values(const Execution& execution);

}  // namespace heddle
