// See guards.h.
#include "runtime/heap/guards.h"

namespace heddle::runtime {
using namespace guards;

std::size_t unguard(void* memory) {
  const Block block(memory);
  const std::size_t spare = spare_in(load(block.last()));
  if (!block.is_guarded() || !block.holds_guard(spare)) return block.usable;
  *block.header &= ~kGuardedBit;
  std::memset(block.memory + block.usable - spare, 0, spare < kWord ? spare : kWord);
  if (spare > kWord) store(block.last(), 0);
  return block.usable - spare;
}

std::size_t overrun_bytes(const void* memory, std::size_t bytes) {
  const Block block(memory);
  if (bytes > block.usable) return 0;
  const std::size_t spare = block.usable - bytes;
  if (!block.is_next_header_whole()) return spare + 1;
  if (!block.is_guarded() || block.holds_guard(spare)) return 0;
  if (spare <= kWord || load(block.last()) != last_word(spare)) {
    std::uint64_t expected = last_word(spare);
    const char* const end = block.memory + block.usable;
    const std::size_t known = spare < kWord ? spare : kWord;
    for (std::size_t i = 1; i <= known; ++i)
      if (end[-static_cast<std::ptrdiff_t>(i)] != reinterpret_cast<const char*>(&expected)[kWord - i])
        return spare - i + 1;
  }
  std::size_t last = kWord;
  while (last > 1 && block.memory[bytes + last - 1] == static_cast<char>(kGuard)) --last;
  return last;
}

namespace {

// Goes from block to block, from the heap's begin to its top.
class Walk {
 public:
  explicit Walk(const char* top) : top_(top) {}

  void go(const char* first_small) {
    const char* at = small_blocks(first_small);
    while (at != nullptr && at < top_) at = larger_block(at);
  }
  const OverrunBlock& found() const { return found_; }

 private:
  // A chunk of small blocks; returns where it ends. Null: there is nothing more to look at.
  const char* small_blocks(const char* at) {
    const void* before = nullptr;  // if it is in use
    for (;;) {
      const auto* const header = reinterpret_cast<const std::uint64_t*>(at);
      if (at >= top_ || left_-- == 0) return nullptr;
      if (!is_header(header)) {
        if (before != nullptr) found_ = {HeapFault::OverrunOrUnderrun, before};
        return nullptr;
      }
      const std::size_t bytes = units_in(*header) * kUnit;
      if ((state_in(*header) & State::kInternal) != 0) return at + bytes + kSmallHeaderBytes;
      before = nullptr;
      if ((state_in(*header) & State::kUsed) != 0) {
        before = header + 1;
        if (is_overrun(before)) return nullptr;
      }
      at += bytes;
    }
  }

  const char* larger_block(const char* at) {
    const auto* const block = reinterpret_cast<const HeapBlock*>(at);
    if (left_-- == 0 || !is_header(&block->word)) return nullptr;
    const std::uint8_t state = state_in(block->word);
    if ((state & State::kInternal) != 0)
      return small_blocks(reinterpret_cast<const char*>(block + 1) + kSmallHeaderBytes);
    if ((state & State::kUsed) != 0 && is_overrun(block + 1)) return nullptr;
    return at + std::size_t{units_in(block->word)} * kUnit;
  }

  bool is_overrun(const void* memory) {
    if (!runtime::is_overrun(memory)) return false;
    found_ = {HeapFault::Overrun, memory};
    return true;
  }

  const char* top_;
  unsigned left_ = kMaxBlocksChecked;
  OverrunBlock found_;
};

}  // namespace

OverrunBlock find_overrun(const Heap& heap) {
  const auto* const begin = reinterpret_cast<const char*>(&heap);
  const HeapUse use = heap.use();
  Walk walk(begin + use.in_use_bytes + use.free_bytes);
  walk.go(begin + round_up(sizeof(Heap), kUnit) + kSmallHeaderBytes);
  return walk.found();
}

}  // namespace heddle::runtime
