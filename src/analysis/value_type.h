// How a variable's bytes read: as an integer, an enumerator, a pointer. The type comes from debug information.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct ValueType {
  enum class Kind : std::uint8_t { Unknown, Signed, Unsigned, Boolean, Floating, Pointer, Enumeration, Opaque };
  Kind kind = Kind::Unknown;  // Opaque: no value of it can be told: a class, a union, what is larger than 8 bytes
  unsigned bytes = 0;         // 1 to 8; 0: not known
  std::vector<std::pair<std::uint64_t, std::string>> enumerators{};  // values as they lie in memory

  bool is_known() const { return kind != Kind::Unknown; }
  // "3", "true", "kStopped", "null", "0x7ff020200018". `value` has the bytes at its low end; of an unknown type it is a
  // signed integer of `size` bytes, or unsigned where it has fewer than four. Empty: the type does not tell, or another
  // number of bytes was accessed than it has.
  std::string text(std::uint64_t value, unsigned size) const;
};

}  // namespace heddle
