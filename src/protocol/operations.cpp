// The tables behind operations.h. Plain arrays: this file is also part of libheddle.so.
#include "protocol/operations.h"

#include <cstring>

namespace heddle {
namespace {

constexpr const char* kOperationNames[] = {
    "none",
#define HEDDLE_OPERATION(name, text, object, traits) text,
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
};

constexpr const char* kObjectNames[] = {"none",   "thread",    "mutex",    "condition variable",
                                        "rwlock", "semaphore", "barrier",  "spin lock",
                                        "once",   "futex",     "variable", "descriptor"};

constexpr std::uint32_t kMaxToChooseFrom = 16;  // 12,870 ways at most

std::uint32_t binomial(std::uint32_t size, std::uint32_t count) {
  if (count > size) return 0;
  std::uint32_t result = 1;
  for (std::uint32_t i = 1; i <= count; ++i) result = result * (size - count + i) / i;
  return result;
}

}  // namespace

const char* name(OperationKind kind) {
  const auto index = static_cast<unsigned>(kind);
  return kOperationNames[index < static_cast<unsigned>(OperationKind::Count) ? index : 0];
}
const char* name(ObjectKind kind) {
  const auto index = static_cast<unsigned>(kind);
  return kObjectNames[index < sizeof kObjectNames / sizeof *kObjectNames ? index : 0];
}

OperationKind operation_named(const char* text) {
  for (unsigned i = 1; i < static_cast<unsigned>(OperationKind::Count); ++i)
    if (std::strcmp(kOperationNames[i], text) == 0) return static_cast<OperationKind>(i);
  return OperationKind::None;
}

ObjectKind object_kind_named(const char* text) {
  for (unsigned i = 1; i < sizeof kObjectNames / sizeof *kObjectNames; ++i)
    if (std::strcmp(kObjectNames[i], text) == 0) return static_cast<ObjectKind>(i);
  return ObjectKind::None;
}

std::uint16_t ways_to_choose(std::uint32_t size, std::uint32_t count) {
  if (count == 1 && size != 0) return static_cast<std::uint16_t>(size < kFirstSpecial ? size : kFirstSpecial - 1);
  if (count == 0 || count >= size || size > kMaxToChooseFrom) return 1;
  return static_cast<std::uint16_t>(binomial(size, count));
}

std::uint32_t nth_way_to_choose(std::uint32_t size, std::uint32_t count, std::uint16_t n) {
  std::uint32_t chosen = 0, left = n;
  for (std::uint32_t i = 0; i < size && count != 0; ++i) {
    const std::uint32_t with_it =
        binomial(size - i - 1, count - 1);  // in lexicographic order, those with `i` come first
    if (left < with_it) {
      chosen |= 1u << i;
      --count;
    } else {
      left -= with_it;
    }
  }
  return chosen;
}

}  // namespace heddle
