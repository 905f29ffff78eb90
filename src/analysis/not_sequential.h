// Could an execution with old values (--memory=tso, rc11) also have come about where memory is sequentially consistent?
// Not if program order, reads-from, modification order and from-read have a cycle (Shasha and Snir, TOPLAS 1988).
#pragma once

#include <optional>

#include "analysis/old_values.h"

namespace heddle {

// The last old value of an execution that has such a cycle; nothing: it has none.
std::optional<OldValue> not_sequential(const Execution& execution);

}  // namespace heddle
