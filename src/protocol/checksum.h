// The checksum of an execution's records. The program can overwrite the records, and the result may look right. So the
// runtime sums up all words from Begin on as it writes them, and End holds the sum; the driver compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "protocol/mix.h"
#include "protocol/records.h"

namespace heddle {

// Of a record's four words. Whatever is changed in one word changes the sum.
inline std::uint64_t sum_of(const Record& record) {
  std::uint64_t words[4];
  static_assert(sizeof words == sizeof(Record));
  std::memcpy(words, &record, sizeof words);
  return (words[0] + words[1]) + (words[2] + words[3]);
}

// Of many at once, which lie side by side.
inline std::uint64_t sum_of(const Record* records, std::size_t count) {
  using Words [[gnu::vector_size(16)]] = std::uint64_t;
  Words even{}, odd{};
  for (std::size_t i = 0; i < count; ++i) {
    Words words[2];
    std::memcpy(words, records + i, sizeof words);
    even += words[0];
    odd += words[1];
  }
  even += odd;
  return even[0] + even[1];
}

// For `end`, behind records that have this sum.
inline std::uint32_t checksum_of(std::uint64_t sum, EndRecord end) {
  end.checksum = 0;
  Record record;
  std::memcpy(static_cast<void*>(&record), &end, sizeof record);
  return static_cast<std::uint32_t>((sum + sum_of(record)) * kGoldenRatio >> 32);
}

}  // namespace heddle
