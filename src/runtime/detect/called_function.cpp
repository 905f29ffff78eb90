// See called_function.h. Calls of functions of other files go through a stub that jumps to what stands in a slot, or
// straight to that. Only memory of the caller's own file is read, so other bytes that happen to look like a call lead
// nowhere.
#include "runtime/detect/called_function.h"

#include <dlfcn.h>
#include <string.h>

namespace heddle::runtime {
namespace {

constexpr unsigned char kCall = 0xe8, kIndirect = 0xff, kCallOfSlot = 0x15, kJumpToSlot = 0x25, kBound = 0xf2;
constexpr unsigned char kBranchTarget[] = {0xf3, 0x0f, 0x1e, 0xfa};  // where stubs may begin with it
constexpr std::size_t kStubBytes = 16;

struct File {
  std::uintptr_t begin, end;
  bool holds(std::uintptr_t at, std::size_t bytes) const { return at >= begin && at < end && end - at >= bytes; }
};

// What an operand relative to the next instruction means; the operand ends there.
std::uintptr_t relative_to(const unsigned char* next) {
  std::int32_t distance;
  memcpy(&distance, next - sizeof distance, sizeof distance);
  return reinterpret_cast<std::uintptr_t>(next) + static_cast<std::uintptr_t>(std::intptr_t{distance});
}

std::uintptr_t in_slot(const File& file, std::uintptr_t slot) {
  return file.holds(slot, sizeof(std::uintptr_t)) ? *reinterpret_cast<const std::uintptr_t*>(slot) : 0;
}

// `function`, or what it jumps to if it is a stub.
std::uintptr_t behind_stub(const File& file, std::uintptr_t function) {
  if (!file.holds(function, kStubBytes)) return function;
  const auto* code = reinterpret_cast<const unsigned char*>(function);
  if (memcmp(code, kBranchTarget, sizeof kBranchTarget) == 0) code += sizeof kBranchTarget;
  if (*code == kBound) ++code;
  return code[0] == kIndirect && code[1] == kJumpToSlot ? in_slot(file, relative_to(code + 6)) : function;
}

}  // namespace

std::uintptr_t called_function(const void* behind) {
  dl_find_object found;
  if (_dl_find_object(const_cast<void*>(behind), &found) != 0) return 0;
  const File file{reinterpret_cast<std::uintptr_t>(found.dlfo_map_start),
                  reinterpret_cast<std::uintptr_t>(found.dlfo_map_end)};
  const auto* const next = static_cast<const unsigned char*>(behind);
  if (!file.holds(reinterpret_cast<std::uintptr_t>(next) - 6, 6)) return 0;
  if (next[-6] == kIndirect && next[-5] == kCallOfSlot) return in_slot(file, relative_to(next));
  if (next[-5] != kCall) return 0;
  const std::uintptr_t function = relative_to(next);
  return file.holds(function, 1) ? behind_stub(file, function) : 0;
}

}  // namespace heddle::runtime
