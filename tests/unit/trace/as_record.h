// Records of every kind as what travels in the ring.
#pragma once

#include <cstring>

#include "protocol/records.h"

namespace heddle {

template <typename T>
Record as_record(const T& value) {
  static_assert(sizeof(T) == sizeof(Record));
  Record record;
  std::memcpy(static_cast<void*>(&record), &value, sizeof record);
  return record;
}

}  // namespace heddle
