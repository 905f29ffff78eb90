// See value_type.h.
#include "analysis/value_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace heddle {
namespace {

std::uint64_t low_bytes(std::uint64_t value, unsigned bytes) {
  return bytes == 0 || bytes >= 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::int64_t as_signed(std::uint64_t value, unsigned bytes) {
  const unsigned unused = bytes == 0 || bytes >= 8 ? 0 : 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

std::string ValueType::text(std::uint64_t value, unsigned size) const {
  if (bytes != 0 && bytes != size) return {};
  const std::uint64_t raw = low_bytes(value, size);
  const auto is_it = [&](const auto& enumerator) { return enumerator.first == raw; };
  switch (kind) {
    case Kind::Boolean:
      if (raw <= 1) return raw == 1 ? "true" : "false";
      break;
    case Kind::Pointer:
      return raw == 0 ? "null" : fmt::format("{:#x}", raw);
    case Kind::Enumeration:
      if (const auto found = std::find_if(enumerators.begin(), enumerators.end(), is_it); found != enumerators.end())
        return found->second;
      break;
    case Kind::Floating:
      if (size == 4) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
      if (size == 8) return fmt::format("{}", std::bit_cast<double>(raw));
      return {};
    case Kind::Opaque:
      return {};
    case Kind::Unsigned:
      return fmt::format("{}", raw);
    case Kind::Unknown:
      if (size < 4) return fmt::format("{}", raw);
      break;
    case Kind::Signed:
      break;
  }
  return fmt::format("{}", as_signed(raw, size));
}

}  // namespace heddle
