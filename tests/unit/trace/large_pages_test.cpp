// Lists in large pages hold what they are given, whether they are small or have outgrown the ordinary heap.
#include "trace/large_pages.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <unordered_set>

#include "trace/state_archive.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMany = 3'000'000;  // some twenty megabytes

std::uintptr_t address_of(const LargeVector<std::uint64_t>& items) {
  return reinterpret_cast<std::uintptr_t>(items.data());
}

TEST(LargePages, KeepWhatAListHoldsWhileItGrows) {
  LargeVector<std::uint64_t> items;
  for (std::uint64_t i = 0; i < kMany; ++i) items.push_back(3 * i);
  for (std::uint64_t i = 0; i < kMany; ++i) ASSERT_EQ(items[i], 3 * i);
}

TEST(LargePages, BeginAtALargePage) {
  const LargeVector<std::uint64_t> items(kMany);
  EXPECT_EQ(address_of(items) % (1u << 21), 0u);
  EXPECT_EQ(items.back(), 0u);
}

// Of address space, in pages of the processor.
std::size_t pages_mapped() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

TEST(LargePages, AreGivenBack) {
  constexpr std::size_t kPagesOfOne = kMany * sizeof(std::uint64_t) / 4096;
  const std::size_t before = pages_mapped();
  for (int round = 0; round < 20; ++round) {
    const LargeVector<std::uint64_t> items(kMany, 1);
    ASSERT_GE(pages_mapped(), before + kPagesOfOne);
  }
  EXPECT_LT(pages_mapped(), before + kPagesOfOne);
}

TEST(LargePages, HoldTables) {
  std::unordered_set<std::uint64_t, std::hash<std::uint64_t>, std::equal_to<>, LargePages<std::uint64_t>> table;
  for (std::uint64_t i = 0; i < kMany / 4; ++i) table.insert(i * i);
  EXPECT_EQ(table.size(), kMany / 4);
  EXPECT_TRUE(table.contains(100));
  EXPECT_FALSE(table.contains(kMany * kMany));
}

TEST(LargePages, AreWrittenAndReadAsAnyList) {
  LargeVector<std::uint64_t> items(kMany, 7), read;
  StateWriter writer;
  writer(items);
  StateReader reader(writer.written());
  reader(read);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(read, items);
}

}  // namespace
}  // namespace heddle
