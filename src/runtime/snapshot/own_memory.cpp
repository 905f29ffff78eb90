// See own_memory.h.
#include "runtime/snapshot/own_memory.h"

#include "runtime/os/system_call.h"
#include "runtime/snapshot/restore_pages.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct Variables {
  char* begin;
  std::size_t size;
  std::size_t offset;  // in a copy
};

struct PermanentVariables {
  Variables parts[2] = {};
};
HEDDLE_PERMANENT constinit PermanentVariables permanent_variables{};

// Made by the linker.
extern "C" __attribute__((visibility("hidden"))) char __start_heddle_permanent[], __stop_heddle_permanent[];

// In a copy each part lies in its lines of 64 bytes as the original does: see copy_alike().
constexpr std::size_t kLine = 64;
std::size_t in_line(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % kLine; }
std::size_t behind(std::size_t offset, const char* part) {
  return ((offset + kLine - 1) & ~(kLine - 1)) + in_line(part);
}

std::size_t pieces_size(const os::Pieces& pieces) { return static_cast<std::size_t>(pieces.end - pieces.begin); }

std::size_t pieces_offset(const os::Pieces& pieces) {
  return behind(permanent_variables.parts[1].offset + permanent_variables.parts[1].size, pieces.begin);
}

}  // namespace

void find_own_memory(const OwnImage& image) {
  auto* const begin = reinterpret_cast<char*>(image.data_begin);
  auto* const end = reinterpret_cast<char*>(image.data_end);
  const auto size = static_cast<std::size_t>(__start_heddle_permanent - begin);
  permanent_variables.parts[0] = {begin, size, in_line(begin)};
  permanent_variables.parts[1] = {__stop_heddle_permanent, static_cast<std::size_t>(end - __stop_heddle_permanent),
                                  behind(permanent_variables.parts[0].offset + size, __stop_heddle_permanent)};
}

std::size_t own_memory_size() {
  const os::Pieces pieces = os::allocated();
  return pieces_offset(pieces) + pieces_size(pieces);
}

std::size_t save_own_memory(char* to) {
  for (const Variables& part : permanent_variables.parts) copy_alike(to + part.offset, part.begin, part.size);
  const os::Pieces pieces = os::allocated();
  copy_alike(to + pieces_offset(pieces), pieces.begin, pieces_size(pieces));
  return pieces_size(pieces);
}

void restore_own_memory(const char* from, std::size_t saved_pieces_size) {
  const os::Pieces pieces = os::allocated();  // before it is restored: how much this execution has used
  for (const Variables& part : permanent_variables.parts) copy_alike(part.begin, from + part.offset, part.size);
  copy_alike(pieces.begin, from + pieces_offset(pieces), saved_pieces_size);
  char* const kept_end = pieces.begin + saved_pieces_size;
  // What is given out next must be zero again.
  if (pieces.end > kept_end) __builtin_memset(kept_end, 0, static_cast<std::size_t>(pieces.end - kept_end));
}

}  // namespace heddle::runtime
