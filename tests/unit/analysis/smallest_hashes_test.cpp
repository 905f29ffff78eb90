// How many different hashes: exact for few, near for many, and the same however the set is put together.
#include "analysis/smallest_hashes.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle {
namespace {

SmallestHashes of(std::uint64_t seed, std::size_t count, unsigned times) {
  SmallestHashes hashes;
  for (unsigned time = 0; time < times; ++time) {
    std::mt19937_64 draw(seed);
    for (std::size_t i = 0; i < count; ++i) hashes.add(draw());
  }
  return hashes;
}

TEST(SmallestHashes, FewAreCountedExactly) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, SmallestHashes::kMost - 1}) {
    EXPECT_EQ(of(1, count, 3).count(), count);
    EXPECT_TRUE(of(1, count, 3).exact());
  }
  EXPECT_FALSE(of(1, SmallestHashes::kMost, 1).exact());
}

TEST(SmallestHashes, OfManyTheNumberIsNear) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    constexpr double kCount = 100'000;
    const auto counted = static_cast<double>(of(seed, static_cast<std::size_t>(kCount), 2).count());
    EXPECT_NEAR(counted, kCount, 5 * kCount / 64) << seed;  // five times the standard error
  }
}

TEST(SmallestHashes, PartsInAnyOrderAndMoreThanOnceGiveTheSame) {
  std::mt19937_64 draw(7);
  std::vector<SmallestHashes> parts(20);
  SmallestHashes all;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t hash = draw();
    all.add(hash);
    parts[draw() % parts.size()].add(hash);
    if (i % 3 == 0) parts[draw() % parts.size()].add(hash);
  }
  for (int round = 0; round < 3; ++round) {
    std::shuffle(parts.begin(), parts.end(), draw);
    SmallestHashes together;
    for (const SmallestHashes& part : parts) together.add(part);
    together.add(parts.front());
    EXPECT_EQ(together.hashes(), all.hashes());
    EXPECT_EQ(together.count(), all.count());
  }
}

}  // namespace
}  // namespace heddle
