// Pages put back after random writes, against a copy.
#include "runtime/isolation/put_back.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

namespace heddle::runtime {
namespace {

struct alignas(kPageBytes) Page {
  std::array<unsigned char, kPageBytes> bytes{};
};

class PutBackTest : public testing::Test {
 protected:
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

TEST_F(PutBackTest, ZeroPiecesAreTheZeroOnes) {
  Page page;
  EXPECT_EQ(zero_pieces(&page), 0xffff);
  page.bytes[0] = 1;
  page.bytes[2 * 256 - 1] = 1;
  page.bytes[kPageBytes - 1] = 1;
  EXPECT_EQ(zero_pieces(&page), 0x7ffc);
}

TEST_F(PutBackTest, EveryWriteIsUndone) {
  for (int round = 0; round < 2000; ++round) {
    Page saved;
    fill(saved);
    Page page = saved;
    scribble(page, random_() % 8);
    if (round % 10 == 0) scribble(page, kPageBytes);
    put_back_page(&page, &saved, round % 2 == 0 ? zero_pieces(&saved) : 0);
    ASSERT_EQ(page.bytes, saved.bytes) << "round " << round;
  }
}

// One at a time: a byte that the comparison does not look at would otherwise hide behind its neighbours.
TEST_F(PutBackTest, EachByteIsLookedAt) {
  Page saved;
  fill(saved);
  const ZeroPieces zero = zero_pieces(&saved);
  Page page = saved;
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    page.bytes[i] ^= 0x80;
    put_back_page(&page, &saved, zero);
    ASSERT_EQ(page.bytes[i], saved.bytes[i]) << "byte " << i;
  }
}

}  // namespace
}  // namespace heddle::runtime
