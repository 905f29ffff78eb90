// The heap over a region, without any process under test: random calls against a shadow, joining of free blocks,
// misuse, pages touched.
#include "runtime/heap/heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace heddle::runtime {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRegionBytes = std::size_t{1} << 30;
unsigned releases = 0;

bool drop_pages(void* begin, std::size_t bytes) {
  ++releases;
  return madvise(begin, bytes, MADV_DONTNEED) == 0;
}

class HeapTest : public testing::Test {
 protected:
  HeapTest() {
    region_ = mmap(nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(region_, kRegionBytes, MADV_NOHUGEPAGE);
    heap_ = Heap::create(region_, kRegionBytes, drop_pages);
    releases = 0;
  }
  ~HeapTest() override { munmap(region_, kRegionBytes); }

  std::size_t used() const { return heap_->range().used_end - heap_->range().begin; }
  std::size_t pages_touched() const {
    std::vector<unsigned char> present(used() / kPage + 1);
    mincore(region_, used(), present.data());
    std::size_t count = 0;
    for (const unsigned char page : present) count += page & 1;
    return count;
  }
  bool zero_beyond_use() const {
    const char* at = reinterpret_cast<const char*>(heap_->range().used_end);
    for (std::size_t i = 0; i < 64 * kPage; ++i)
      if (at[i] != 0) return false;
    return true;
  }

  void* region_ = nullptr;
  Heap* heap_ = nullptr;
};

// Blocks as they should be: where, how large, filled with what.
struct Expected {
  std::size_t bytes;
  unsigned char fill;
};

class Shadow {
 public:
  explicit Shadow(Heap& heap) : heap_(heap) {}

  void add(void* memory, std::size_t bytes, std::size_t alignment) {
    auto* begin = static_cast<unsigned char*>(memory);
    ASSERT_NE(begin, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(begin) % alignment, 0u);
    const std::size_t usable = heap_.usable_bytes(memory);
    ASSERT_GE(usable, bytes);
    const auto next = blocks_.lower_bound(begin);
    if (next != blocks_.end()) {
      ASSERT_LE(begin + usable, next->first);
    }
    if (next != blocks_.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second.bytes, begin);
    }
    std::memset(begin, ++fill_, usable);
    blocks_[begin] = {usable, fill_};
  }
  void check(unsigned char* begin, std::size_t bytes, unsigned char fill) {
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(begin[i], fill) << "at byte " << i << " of " << bytes;
  }
  template <typename Random>
  std::pair<unsigned char*, Expected> take(Random& random) {
    auto at = blocks_.begin();
    std::advance(at, random() % blocks_.size());
    const auto result = *at;
    check(result.first, result.second.bytes, result.second.fill);
    blocks_.erase(at);
    return result;
  }
  std::size_t size() const { return blocks_.size(); }

 private:
  Heap& heap_;
  std::map<unsigned char*, Expected> blocks_;
  unsigned char fill_ = 0;
};

std::size_t some_size(std::mt19937& random) {
  static constexpr std::size_t kMax[] = {64, 300, 1100, 5000, 70000, 600000};
  const unsigned kind = random() % 40;
  return random() % kMax[kind < 20 ? 0 : kind < 30 ? 1 : kind < 35 ? 2 : kind < 38 ? 3 : kind < 39 ? 4 : 5];
}

void random_call(Heap& heap, Shadow& shadow, std::mt19937& random, std::size_t blocks) {
  const std::size_t bytes = some_size(random);
  const unsigned kind = random() % 8;
  if (shadow.size() > 0 && (kind < 3 || shadow.size() > blocks)) {
    heap.release(shadow.take(random).first);
  } else if (kind == 3 && shadow.size() > 0) {
    const auto [begin, expected] = shadow.take(random);
    auto* moved = static_cast<unsigned char*>(heap.resize(begin, bytes));
    ASSERT_NE(moved, nullptr);
    shadow.check(moved, std::min(bytes, expected.bytes), expected.fill);
    shadow.add(moved, bytes, Heap::kAlignment);
  } else if (kind == 4) {
    auto* memory = static_cast<unsigned char*>(heap.allocate_zeroed(bytes));
    ASSERT_NE(memory, nullptr);
    shadow.check(memory, bytes, 0);
    shadow.add(memory, bytes, Heap::kAlignment);
  } else if (kind == 5) {
    const std::size_t alignment = std::size_t{16} << random() % 12;
    shadow.add(heap.allocate_aligned(alignment, bytes), bytes, alignment);
  } else {
    shadow.add(heap.allocate(bytes), bytes, bytes >= Heap::kLargeBytes ? kPage : Heap::kAlignment);
  }
}

TEST_F(HeapTest, keeps_every_block_apart_and_intact) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    Shadow shadow(*heap_);
    for (unsigned i = 0; i < 20000; ++i) {
      random_call(*heap_, shadow, random, 300 * seed);
      ASSERT_EQ(heap_->fault(), HeapFault::None) << "seed " << seed << ", call " << i;
      if (HasFatalFailure()) return;
    }
    while (shadow.size() > 0) heap_->release(shadow.take(random).first);
    ASSERT_EQ(heap_->fault(), HeapFault::None);
    EXPECT_EQ(heap_->use().in_use_bytes, 0u);
    EXPECT_TRUE(zero_beyond_use());
  }
}

TEST_F(HeapTest, gives_the_same_addresses_for_the_same_calls) {
  const auto run = [this] {
    std::memset(region_, 0, used());
    heap_ = Heap::create(region_, kRegionBytes, drop_pages);
    std::mt19937 random(7);
    std::vector<void*> blocks, seen;
    for (unsigned i = 0; i < 3000; ++i) {
      if (blocks.size() > 100) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        heap_->release(blocks.back());
        blocks.pop_back();
      }
      blocks.push_back(heap_->allocate(some_size(random)));
      seen.push_back(blocks.back());
    }
    return seen;
  };
  const auto first = run();
  EXPECT_EQ(run(), first);
}

TEST_F(HeapTest, a_small_program_touches_one_page) {
  EXPECT_EQ(pages_touched(), 1u);
  std::vector<void*> blocks;
  for (unsigned i = 0; i < 20; ++i) blocks.push_back(heap_->allocate(8 + i * 10));
  for (void* block : blocks) heap_->release(block);
  EXPECT_LE(pages_touched(), 2u);
}

TEST_F(HeapTest, a_freed_block_is_the_next_of_its_size) {
  void* first = heap_->allocate(40);
  void* second = heap_->allocate(40);
  heap_->release(first);
  heap_->release(second);
  EXPECT_EQ(heap_->allocate(33), second);
  EXPECT_EQ(heap_->allocate(40), first);
  EXPECT_NE(heap_->allocate(0), heap_->allocate(0));
}

TEST_F(HeapTest, growing_and_shrinking_large_blocks_needs_no_more_room) {
  std::vector<void*> blocks;
  std::size_t after_first_round = 0;
  for (unsigned round = 0; round < 50; ++round) {
    for (std::size_t bytes = 1000; bytes < 3'000'000; bytes += bytes / 2) blocks.push_back(heap_->allocate(bytes));
    void* grown = heap_->allocate(10);
    for (std::size_t bytes = 100; bytes < 20'000'000; bytes *= 3) grown = heap_->resize(grown, bytes);
    grown = heap_->resize(grown, 300'000);
    for (void* block : blocks) heap_->release(block);
    heap_->release(grown);
    blocks.clear();
    if (round == 0) after_first_round = used();
    ASSERT_LE(used(), after_first_round);
  }
  EXPECT_EQ(heap_->fault(), HeapFault::None);
}

TEST_F(HeapTest, gives_much_free_memory_back) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  auto* first = static_cast<char*>(heap_->allocate(kBytes));
  void* between = heap_->allocate(300'000);
  std::memset(first, 1, kBytes);
  heap_->release(first);
  EXPECT_EQ(releases, 1u);
  EXPECT_LT(pages_touched(), 200u);
  auto* again = static_cast<char*>(heap_->allocate_zeroed(kBytes));
  EXPECT_EQ(again, first);
  EXPECT_EQ(std::count(again, again + kBytes, 0), static_cast<long>(kBytes));
  std::memset(again, 1, kBytes);
  heap_->release(between);
  heap_->release(again);
  EXPECT_LT(used(), std::size_t{1} << 20) << "all above the top was given back and is zero";
  EXPECT_TRUE(zero_beyond_use());
}

// What the kernel gives anew is zero, and what it has kept of the first and last page is not.
TEST_F(HeapTest, nothing_is_given_back_that_is_to_be_filled) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  heap_->set_fill(Fill::Junk);
  for (const bool at_top : {false, true}) {
    auto* first = static_cast<char*>(heap_->allocate(kBytes));
    void* behind = at_top ? nullptr : heap_->allocate(300'000);
    std::memset(first, 1, kBytes);
    heap_->release(first);
    auto* again = static_cast<char*>(heap_->allocate(kBytes));
    EXPECT_EQ(again, first);
    EXPECT_EQ(std::count(again, again + kBytes, '\xf4'), static_cast<long>(kBytes));
    heap_->release(again);
    if (behind != nullptr) heap_->release(behind);
  }
  EXPECT_EQ(releases, 0u);
}

TEST_F(HeapTest, a_block_that_grows_moves) {
  for (const std::size_t bytes : {2, 3000, 200'000, 400'000}) {
    void* block = heap_->allocate(bytes);
    std::memset(block, 5, bytes);
    auto* grown = static_cast<char*>(heap_->resize(block, 2 * bytes + 100));
    EXPECT_NE(grown, block);
    EXPECT_EQ(std::count(grown, grown + bytes, 5), static_cast<long>(bytes));
    EXPECT_EQ(heap_->resize(grown, bytes), grown) << "one that shrinks stays";
    heap_->release(grown);
  }
}

TEST_F(HeapTest, a_block_that_grows_by_little_is_seldom_copied) {
  void* block = heap_->allocate(2000);
  unsigned moves = 0;
  for (std::size_t bytes = 2000; bytes < 2'000'000; bytes += 16) {
    void* grown = heap_->resize(block, bytes);
    moves += grown != block ? 1 : 0;
    block = grown;
  }
  EXPECT_GE(moves, 10u);
  EXPECT_LE(moves, 70u);
}

TEST_F(HeapTest, a_block_grows_in_place_where_there_is_no_other) {
  void* block = heap_->allocate(kRegionBytes / 2 + 1'000'000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(heap_->resize(block, kRegionBytes / 4 * 3), block);
  EXPECT_EQ(heap_->fault(), HeapFault::None);
}

TEST_F(HeapTest, says_when_there_is_no_room) {
  EXPECT_EQ(heap_->allocate(kRegionBytes), nullptr);
  EXPECT_EQ(heap_->allocate(SIZE_MAX - 8), nullptr);
  EXPECT_EQ(heap_->allocate_aligned(std::size_t{1} << 62, 8), nullptr);
  void* block = heap_->allocate(100);
  EXPECT_EQ(heap_->resize(block, SIZE_MAX - 100), nullptr);
  unsigned count = 0;
  while (heap_->allocate(4'000'000) != nullptr) ++count;
  EXPECT_GT(count, 250u);
  EXPECT_EQ(heap_->fault(), HeapFault::None);
  EXPECT_EQ(heap_->usable_bytes(block), 104u);
}

TEST_F(HeapTest, notices_a_block_freed_twice) {
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{5000}, std::size_t{400'000}}) {
    heap_ = (std::memset(region_, 0, used()), Heap::create(region_, kRegionBytes, nullptr));
    void* before = heap_->allocate(bytes);
    void* block = heap_->allocate(bytes);
    heap_->release(before);
    heap_->release(block);
    EXPECT_EQ(heap_->fault(), HeapFault::None);
    heap_->release(block);
    EXPECT_EQ(heap_->fault(), HeapFault::DoubleFree) << bytes;
  }
}

TEST_F(HeapTest, knows_the_links_of_free_blocks) {
  for (const std::size_t bytes : {std::size_t{40}, std::size_t{5000}}) {
    auto* block = static_cast<char*>(heap_->allocate(bytes));
    std::memset(block, 1, bytes);
    EXPECT_FALSE(is_link_of_free_block(heap_->range(), block));
    heap_->release(block);
    EXPECT_EQ(is_link_of_free_block(heap_->range(), block), bytes == 40) << "a larger one may be part of another";
    EXPECT_EQ(is_link_of_free_block(heap_->range(), block + 8), bytes == 40);
    EXPECT_FALSE(is_link_of_free_block(heap_->range(), block + 16));
    EXPECT_EQ(heap_->allocate(bytes), block);
    std::memset(block, 0, 16);
    EXPECT_FALSE(is_link_of_free_block(heap_->range(), block));
  }
}

TEST_F(HeapTest, tells_the_size_of_a_block_in_use_and_of_nothing_else) {
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{5000}, std::size_t{400'000}}) {
    auto* block = static_cast<char*>(heap_->allocate(bytes));
    EXPECT_EQ(heap_->bytes_of_block(block), heap_->usable_bytes(block));
    EXPECT_GE(heap_->bytes_of_block(block), bytes);
    EXPECT_EQ(heap_->bytes_of_block(block + 16), 0u);
    EXPECT_EQ(heap_->bytes_of_block(block + 1), 0u);
    heap_->release(block);
    EXPECT_EQ(heap_->bytes_of_block(block), 0u);
  }
  EXPECT_EQ(heap_->fault(), HeapFault::None);
}

TEST_F(HeapTest, notices_pointers_that_it_did_not_give_out) {
  for (const std::size_t offset : {8, 16, 48}) {
    heap_ = (std::memset(region_, 0, used()), Heap::create(region_, kRegionBytes, nullptr));
    auto* block = static_cast<char*>(heap_->allocate(100));
    heap_->release(block + offset);
    EXPECT_EQ(heap_->fault(), HeapFault::InvalidPointer) << offset;
  }
}

TEST_F(HeapTest, notices_an_overrun_into_the_next_header) {
  for (const std::size_t bytes : {24, 1000, 5000, 400'000}) {
    heap_ = (std::memset(region_, 0, used()), Heap::create(region_, kRegionBytes, nullptr));
    auto* block = static_cast<char*>(heap_->allocate(bytes));
    void* next = heap_->allocate(bytes);
    std::memset(block, 'x', heap_->usable_bytes(block) + 12);
    heap_->release(next);
    EXPECT_NE(heap_->fault(), HeapFault::None) << bytes;
  }
}

TEST_F(HeapTest, notices_a_write_after_free) {
  for (const std::size_t bytes : {24, 5000}) {
    heap_ = (std::memset(region_, 0, used()), Heap::create(region_, kRegionBytes, nullptr));
    auto* block = static_cast<char*>(heap_->allocate(bytes));
    heap_->allocate(bytes);
    heap_->release(block);
    std::memset(block, 'x', 24);
    EXPECT_TRUE(heap_->allocate(bytes) == nullptr || heap_->allocate(bytes) == nullptr);
    EXPECT_EQ(heap_->fault(), HeapFault::Corrupted) << bytes;
  }
}

// How many bytes of the block are not `byte`.
std::size_t bytes_other_than(int byte, Heap& heap, void* block) {
  const auto* at = static_cast<unsigned char*>(block);
  std::size_t count = 0;
  for (std::size_t i = 0; i < heap.usable_bytes(block); ++i) count += at[i] != byte;
  return count;
}

constexpr std::size_t kSizes[] = {8, 24, 100, 1000, 2000, 5000, 40'000, 300'000};

TEST_F(HeapTest, what_nobody_had_is_zero_whatever_was_done_before) {
  std::mt19937 draw(1);
  std::vector<void*> kept;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t bytes = kSizes[draw() % std::size(kSizes)];
    void* block = draw() % 4 == 0 ? heap_->allocate_aligned(256, bytes) : heap_->allocate(bytes);
    std::memset(block, 'x', heap_->usable_bytes(block));
    kept.push_back(block);
    if (draw() % 4 == 0) continue;
    std::swap(kept[draw() % kept.size()], kept.back());
    heap_->release(kept.back());
    kept.pop_back();
  }
  heap_->forget_freed();
  EXPECT_TRUE(zero_beyond_use());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t bytes = kSizes[draw() % std::size(kSizes)];
    void* block = draw() % 4 == 0 ? heap_->allocate_aligned(256, bytes) : heap_->allocate(bytes);
    ASSERT_EQ(bytes_other_than(0, *heap_, block), 0u) << bytes << " bytes, block " << i;
  }
  for (void* block : kept) heap_->release(block);
  EXPECT_EQ(heap_->fault(), HeapFault::None);
}

TEST_F(HeapTest, a_gap_before_an_aligned_block_is_zero_when_it_is_given_out) {
  auto* aligned = static_cast<char*>(heap_->allocate_aligned(64 << 10, 5000));
  heap_->allocate(5000);
  auto* in_gap = static_cast<char*>(heap_->allocate(30'000));
  EXPECT_LT(in_gap, aligned);
  EXPECT_EQ(bytes_other_than(0, *heap_, in_gap), 0u);
}

TEST_F(HeapTest, what_was_freed_is_filled_when_it_is_given_out_again) {
  for (const Fill fill : {Fill::Zero, Fill::Junk}) {
    for (const std::size_t bytes : kSizes) {
      heap_ = (std::memset(region_, 0, used()), Heap::create(region_, kRegionBytes, nullptr));
      heap_->set_fill(fill);
      void* block = heap_->allocate(bytes);
      EXPECT_EQ(bytes_other_than(0, *heap_, block), 0u);
      void* behind = heap_->allocate(bytes);
      std::memset(block, 'x', heap_->usable_bytes(block));
      heap_->release(block);
      EXPECT_EQ(heap_->allocate(bytes), block);
      EXPECT_EQ(bytes_other_than(fill == Fill::Zero ? 0 : 0xf4, *heap_, block), 0u) << bytes;
      heap_->release(behind);
      EXPECT_EQ(heap_->fault(), HeapFault::None);
    }
  }
}

TEST_F(HeapTest, a_fill_reaches_all_that_was_freed_and_nothing_else) {
  heap_->set_fill(Fill::Junk);
  std::mt19937 draw(2);
  std::map<char*, std::size_t> blocks;
  for (int i = 0; i < 5000; ++i) {
    if (blocks.empty() || draw() % 2 == 0) {
      const std::size_t bytes = kSizes[draw() % std::size(kSizes)] + draw() % 64;
      auto* block = static_cast<char*>(draw() % 8 == 0 ? heap_->allocate_aligned(128, bytes) : heap_->allocate(bytes));
      const auto wrong = std::count_if(block, block + bytes, [](char at) { return at != 0 && at != '\xf4'; });
      ASSERT_EQ(wrong, 0) << "of " << bytes << " bytes, step " << i;
      std::memset(block, 'x', heap_->usable_bytes(block));
      blocks.emplace(block, bytes);
    } else {
      auto chosen = std::next(blocks.begin(), static_cast<std::ptrdiff_t>(draw() % blocks.size()));
      heap_->release(chosen->first);
      blocks.erase(chosen);
    }
  }
  EXPECT_EQ(heap_->fault(), HeapFault::None);
}

}  // namespace
}  // namespace heddle::runtime
