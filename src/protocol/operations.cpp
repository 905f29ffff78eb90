// The tables behind operations.h. Plain arrays: this file is also part of libheddle.so.
#include "protocol/operations.h"

#include <cstring>

namespace heddle {
namespace {

struct Row {
  const char* text;
  ObjectKind object;
  std::uint8_t traits;
};

constexpr Row make_row(const char* text, ObjectKind object, unsigned traits) {
  return {text, object, static_cast<std::uint8_t>(traits)};
}

struct Table : OperationTraits {
  static constexpr Row rows[] = {
      {"none", ObjectKind::None, 0},
#define HEDDLE_OPERATION(name, text, object, traits) make_row(text, ObjectKind::object, traits),
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
  };
};

constexpr const char* kObjectNames[] = {
    "none", "thread", "mutex", "condition variable", "rwlock", "semaphore", "barrier", "spin lock", "once", "futex"};

const Row& row(OperationKind kind) {
  const auto index = static_cast<unsigned>(kind);
  return Table::rows[index < static_cast<unsigned>(OperationKind::Count) ? index : 0];
}

}  // namespace

std::uint8_t traits(OperationKind kind) { return row(kind).traits; }
ObjectKind object_kind(OperationKind kind) { return row(kind).object; }
const char* name(OperationKind kind) { return row(kind).text; }
const char* name(ObjectKind kind) {
  const auto index = static_cast<unsigned>(kind);
  return kObjectNames[index < sizeof kObjectNames / sizeof *kObjectNames ? index : 0];
}

OperationKind operation_named(const char* text) {
  for (unsigned i = 1; i < static_cast<unsigned>(OperationKind::Count); ++i)
    if (std::strcmp(Table::rows[i].text, text) == 0) return static_cast<OperationKind>(i);
  return OperationKind::None;
}

ObjectKind object_kind_named(const char* text) {
  for (unsigned i = 1; i < sizeof kObjectNames / sizeof *kObjectNames; ++i)
    if (std::strcmp(kObjectNames[i], text) == 0) return static_cast<ObjectKind>(i);
  return ObjectKind::None;
}

}  // namespace heddle
