// Pages restored after random writes, against a copy, in each way that this processor can.
#include "runtime/snapshot/restore_pages.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

namespace heddle::runtime {
namespace {

struct alignas(kPageBytes) Page {
  std::array<unsigned char, kPageBytes> bytes{};
};

constexpr RestoreMethod kMethods[] = {RestoreMethod::Words, RestoreMethod::Avx2};

class RestorePagesTest : public testing::TestWithParam<RestoreMethod> {
 protected:
  void SetUp() override {
    if (GetParam() > best_restore_method()) GTEST_SKIP() << "not on this processor";
    use_restore_method(GetParam());
  }
  void TearDown() override { use_restore_method(best_restore_method()); }

  // Some pieces of it are zero.
  void fill(Page& page) {
    for (std::size_t piece = 0; piece < kPageBytes; piece += 256)
      for (std::size_t i = 0; i < 256; ++i)
        page.bytes[piece + i] = piece / 256 % 3 == 0 ? 0 : static_cast<unsigned char>(random_());
  }
  void scribble(Page& page, unsigned writes) {
    for (; writes > 0; --writes) page.bytes[random_() % kPageBytes] = static_cast<unsigned char>(random_());
  }
  std::mt19937 random_{1};
};

TEST_P(RestorePagesTest, ZeroPiecesAreTheZeroOnes) {
  Page page;
  EXPECT_EQ(zero_pieces(&page), 0xffff);
  page.bytes[0] = 1;
  page.bytes[2 * 256 - 1] = 1;
  page.bytes[kPageBytes - 1] = 1;
  EXPECT_EQ(zero_pieces(&page), 0x7ffc);
}

TEST_P(RestorePagesTest, EveryWriteIsUndone) {
  for (int round = 0; round < 2000; ++round) {
    Page saved;
    fill(saved);
    Page page = saved;
    scribble(page, random_() % 8);
    if (round % 10 == 0) scribble(page, kPageBytes);
    restore_page(&page, &saved, round % 2 == 0 ? zero_pieces(&saved) : 0);
    ASSERT_EQ(page.bytes, saved.bytes) << "round " << round;
  }
}

// One at a time: a byte that the comparison does not look at would otherwise hide behind its neighbours.
TEST_P(RestorePagesTest, EachByteIsLookedAt) {
  Page saved;
  fill(saved);
  const PagePieces zero = zero_pieces(&saved);
  Page page = saved;
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    page.bytes[i] ^= 0x80;
    restore_page(&page, &saved, zero);
    ASSERT_EQ(page.bytes[i], saved.bytes[i]) << "byte " << i;
  }
}

struct alignas(64) Kept {
  std::array<char, 2 * kPageBytes> bytes{};
};

TEST_P(RestorePagesTest, WhatDiffersIsKept) {
  for (int round = 0; round < 2000; ++round) {
    Page saved;
    fill(saved);
    const PagePieces zero = round % 2 == 0 ? zero_pieces(&saved) : 0;
    // Two pages, kept one behind the other; of the second most is different.
    std::array<Page, 2> then{saved, saved};
    scribble(then[0], random_() % 8);
    scribble(then[1], round % 4 == 0 ? 0 : 100);
    Kept kept;
    char* end = kept.bytes.data();
    std::array<PagePieces, 2> different{};
    for (int i = 0; i < 2; ++i) different[i] = keep_different(&then[i], &saved, zero, end);
    const int pieces = __builtin_popcount(different[0]) + __builtin_popcount(different[1]);
    ASSERT_EQ(end, kept.bytes.data() + pieces * kPieceBytes);
    for (int i = 0; i < 2; ++i)
      for (std::size_t piece = 0; piece < kPageBytes / kPieceBytes; ++piece) {
        const auto* const at = then[i].bytes.data() + piece * kPieceBytes;
        const bool equal = std::memcmp(at, saved.bytes.data() + piece * kPieceBytes, kPieceBytes) == 0;
        ASSERT_EQ((different[i] >> piece & 1) == 0, equal) << "round " << round << " piece " << piece;
      }
    std::array<Page, 2> now = then;
    for (Page& page : now) scribble(page, random_() % 40);
    const char* from = kept.bytes.data();
    for (int i = 0; i < 2; ++i) restore_kept(&now[i], &saved, zero, different[i], from);
    ASSERT_EQ(from, end);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(now[i].bytes, then[i].bytes) << "round " << round << " page " << i;
  }
}

TEST_P(RestorePagesTest, CopiesHaveAllBytesAndNoMore) {
  constexpr std::size_t kLine = 64;
  Page from;
  fill(from);
  for (std::size_t size = 0; size < 400; ++size)
    for (std::size_t in_line : {0u, 8u, 24u, 63u}) {
      Page to;
      const std::size_t at = kLine + in_line, source = 3 * kLine + in_line;
      Page expected;
      std::memcpy(expected.bytes.data() + at, from.bytes.data() + source, size);
      copy_alike(to.bytes.data() + at, from.bytes.data() + source, size);
      ASSERT_EQ(to.bytes, expected.bytes) << size << " bytes, " << in_line << " behind the beginning of a line";
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, RestorePagesTest, testing::ValuesIn(kMethods));

}  // namespace
}  // namespace heddle::runtime
