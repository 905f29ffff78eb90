// Reads of old values, and stores that stand before earlier ones in modification order (--memory=tso, rc11): which
// store was read, which one was missed (modification_order.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/modification_order.h"
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

// In the order of steps.
std::vector<OldValue> old_values(const Execution& execution);

}  // namespace heddle
