// See task_state.h.
#include "runtime/detect/task_state.h"

#include <cstddef>

#include "protocol/mix.h"

// As much as is looked at (kExamined), and the word next to it.
__asm__(
    ".text\n"
    ".globl heddle_clear_dead_frames\n.hidden heddle_clear_dead_frames\n.type heddle_clear_dead_frames,@function\n"
    "heddle_clear_dead_frames:\n"
    "  .cfi_startproc\n"
    "  pxor %xmm0, %xmm0\n  xor %ecx, %ecx\n"
    "  lea -8(%rsp), %rdx\n  lea -768(%rdx), %rax\n"
    "  mov %rcx, (%rdx)\n"
    "0:\n"
    "  movups %xmm0, (%rax)\n  movups %xmm0, 16(%rax)\n  movups %xmm0, 32(%rax)\n  movups %xmm0, 48(%rax)\n"
    "  add $64, %rax\n  cmp %rdx, %rax\n  jb 0b\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_clear_dead_frames, .-heddle_clear_dead_frames\n");

namespace heddle::runtime {
namespace {

// So much of the stack is looked at. A loop's own variables are in registers or near; above every thread's frames there
// is more than this (its descriptor, the environment).
constexpr std::size_t kExamined = 768;

constexpr unsigned kLanes = 4;  // hashed side by side: a multiplication waits for the one before it
static_assert(kExamined % (kLanes * sizeof(std::uint64_t)) == 0);
static_assert(kExamined == 768, "so much is cleared above, 64 bytes at a time");

// What differs stays different, whatever the words behind are. Three instructions.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) { return ((hash << 5 | hash >> 59) ^ word) * kGoldenRatio; }

}  // namespace

std::uint64_t task_state(const std::uint64_t* from, std::uint64_t besides) {
  std::uint64_t lanes[kLanes] = {1, 2, 3, 4};
  const std::uint64_t* const end = from + kExamined / sizeof *from;
  for (const std::uint64_t* word = from; word != end; word += kLanes)
    for (unsigned i = 0; i < kLanes; ++i) lanes[i] = mixed(lanes[i], word[i]);
  std::uint64_t hash = mixed(1, besides);
  for (const std::uint64_t lane : lanes) hash = mixed(hash, lane);
  return hash | 1;
}

}  // namespace heddle::runtime
