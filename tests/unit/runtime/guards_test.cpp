// Guards behind the blocks of a heap: each write past the end is found, and nothing else.
#include "runtime/heap/guards.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace heddle::runtime {
namespace {

constexpr std::size_t kRegionBytes = std::size_t{64} << 20;
constexpr std::size_t kSizes[] = {0, 1, 8, 13, 24, 25, 40, 100, 272, 273, 900, 1016, 1017, 2000, 4096, 300'000};

class GuardsTest : public testing::Test {
 protected:
  GuardsTest() {
    region_ = mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    start_again();
  }
  ~GuardsTest() override { munmap(region_, kRegionBytes); }

  void start_again() {
    madvise(region_, kRegionBytes, MADV_DONTNEED);
    heap_ = Heap::create(region_, kRegionBytes, nullptr);
  }
  char* make(std::size_t bytes) { return static_cast<char*>(guard(heap_->allocate(bytes), bytes)); }

  void* region_ = nullptr;
  Heap* heap_ = nullptr;
};

TEST_F(GuardsTest, a_byte_behind_the_end_is_noticed_and_the_last_one_is_not) {
  for (const std::size_t bytes : kSizes) {
    start_again();
    char* const block = make(bytes);
    make(bytes);
    std::memset(block, 'x', bytes);
    EXPECT_FALSE(is_overrun(block)) << bytes;
    EXPECT_EQ(overrun_bytes(block, bytes), 0u) << bytes;
    EXPECT_EQ(find_overrun(*heap_).fault, HeapFault::None) << bytes;
    for (const char written : {'\0', 'x', '\x81', '\xff'}) {
      const char before = block[bytes];
      if (before == written) continue;  // nobody can see that
      block[bytes] = written;
      EXPECT_EQ(is_overrun(block), heap_->bytes_of_block(block) != bytes) << bytes << ", " << int{written};
      EXPECT_EQ(overrun_bytes(block, bytes), 1u) << bytes << ", " << int{written};
      EXPECT_EQ(find_overrun(*heap_).memory, block) << bytes << ", " << int{written};
      block[bytes] = before;
    }
  }
}

TEST_F(GuardsTest, the_latest_block_of_a_chunk_is_guarded_by_the_end_mark) {
  char* const block = make(24);
  block[24] = 'x';
  EXPECT_EQ(find_overrun(*heap_).fault, HeapFault::OverrunOrUnderrun);
  EXPECT_EQ(find_overrun(*heap_).memory, block);
}

TEST_F(GuardsTest, the_heap_refuses_to_free_or_resize_a_block_that_was_overrun) {
  for (const bool resizes : {false, true}) {
    start_again();
    char* const block = make(13);
    block[13] = 'x';
    if (resizes)
      EXPECT_EQ(heap_->resize(block, 14), nullptr);
    else
      heap_->release(block);
    EXPECT_EQ(heap_->fault(), HeapFault::Overrun);
  }
}

TEST_F(GuardsTest, a_program_that_was_told_how_much_is_usable_may_use_it) {
  for (const std::size_t bytes : kSizes) {
    char* const block = make(bytes);
    EXPECT_EQ(unguard(block), bytes);
    std::memset(block, 'x', heap_->usable_bytes(block));
    EXPECT_FALSE(is_overrun(block)) << bytes;
    EXPECT_EQ(unguard(block), heap_->usable_bytes(block)) << "nobody knows any more";
  }
  EXPECT_EQ(find_overrun(*heap_).fault, HeapFault::None);
}

TEST_F(GuardsTest, what_was_guarded_is_zero_when_the_program_gets_it) {
  for (const std::size_t bytes : kSizes) {
    char* const block = make(bytes);
    unguard(block);
    EXPECT_TRUE(std::all_of(block, block + heap_->usable_bytes(block), [](char byte) { return byte == 0; })) << bytes;
  }
}

// Many chunks, large blocks between them, blocks that were freed and given out again.
TEST_F(GuardsTest, a_walk_finds_the_one_block_among_many_and_none_where_all_are_in_order) {
  std::mt19937 draw(3);
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (int i = 0; i < 6000; ++i) {
    if (!blocks.empty() && draw() % 3 == 0) {
      std::swap(blocks[draw() % blocks.size()], blocks.back());
      heap_->release(blocks.back().first);
      blocks.pop_back();
      continue;
    }
    const std::size_t bytes = draw() % 50 == 0 ? draw() % 40'000 : draw() % 600;
    char* const block =
        draw() % 20 == 0 ? static_cast<char*>(guard(heap_->allocate_aligned(256, bytes), bytes)) : make(bytes);
    ASSERT_NE(block, nullptr);
    std::memset(block, 'x', bytes);
    blocks.emplace_back(block, bytes);
    if (i % 100 == 0) ASSERT_EQ(find_overrun(*heap_).fault, HeapFault::None) << "step " << i;
  }
  ASSERT_EQ(heap_->fault(), HeapFault::None);
  ASSERT_EQ(find_overrun(*heap_).fault, HeapFault::None);
  for (int i = 0; i < 300; ++i) {
    const auto& [block, bytes] = blocks[draw() % blocks.size()];
    const char before = block[bytes];
    block[bytes] = static_cast<char>(before ^ 0x55);
    EXPECT_EQ(find_overrun(*heap_).memory, block) << bytes << " bytes";
    block[bytes] = before;
  }
}

TEST_F(GuardsTest, freed_memory_that_is_forgotten_leaves_the_heap_in_order) {
  char* const block = make(100);
  make(5000);
  heap_->release(block);
  heap_->forget_freed();
  for (const std::size_t bytes : kSizes) make(bytes);
  EXPECT_EQ(find_overrun(*heap_).fault, HeapFault::None);
}

}  // namespace
}  // namespace heddle::runtime
