// Reads a record as the type that its kind names. Records come from memory that the program under test can write into.
#pragma once

#include <cstring>

#include "protocol/records.h"

namespace heddle {

template <typename Kind>
Kind read_as(const Record& record) {
  static_assert(sizeof(Kind) == sizeof(Record));
  Kind result;
  std::memcpy(static_cast<void*>(&result), &record, sizeof result);
  return result;
}

inline bool known(OperationKind kind) { return kind < OperationKind::Count; }

}  // namespace heddle
