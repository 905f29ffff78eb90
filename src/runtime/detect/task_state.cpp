// See task_state.h.
#include "runtime/detect/task_state.h"

#include <string.h>

#include <algorithm>
#include <cstddef>

#include "protocol/mix.h"
#include "runtime/state/runtime.h"

// As much as is looked at (KeptState::kWords), and the word next to it.
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

// A state is a sum, so that what others have changed can be taken out of it. What differs stays different: both halves
// of a product, folded.
std::uint64_t part_of_state(const std::uint64_t* at, std::uint64_t word) {
  const std::uint64_t place = scrambled(reinterpret_cast<std::uintptr_t>(at));
  const auto product = static_cast<unsigned __int128>(word ^ place) * (kGoldenRatio + 2 * place);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t task_state(const std::uint64_t* from, std::uint64_t besides) {
  static_assert(KeptState::kWords * sizeof *from == 768, "so much is cleared above, 64 bytes at a time");
  std::uint64_t state = scrambled(besides);
  for (std::size_t i = 0; i < KeptState::kWords; ++i) state += part_of_state(from + i, from[i]);
  current_data().state_end = from + KeptState::kWords;
  return state != 0 ? state : 1;
}

KeptState::KeptState(const void* frame) : end_(current_data().state_end), count_(0) {
  const auto* const lowest = static_cast<const std::uint64_t*>(frame);
  if (lowest < end_) count_ = std::min(kWords, static_cast<std::size_t>(end_ - lowest));
  renew();
}

void KeptState::renew() { memcpy(words_, end_ - count_, count_ * sizeof *words_); }

void KeptState::leave_out_changes(model::ReadHistory& history) const {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t* const now = end_ - count_ + i;
    if (*now != words_[i]) difference += part_of_state(now, *now) - part_of_state(now, words_[i]);
  }
  if (difference != 0) model::shift_states(history, difference);
}

}  // namespace heddle::runtime
