// Which random programs a property test takes: a few hundred by default, for which it also says how many must have
// counted. Others by HEDDLE_FIRST_SEED and HEDDLE_SEEDS, their number: `./dev fuzz` goes on from seed to seed, and the
// test seeds_of_the_commit takes a few that follow from the commit. With HEDDLE_DRAWN_SEED, as in ./dev test, it is a
// third of the few hundred, ever another one: nothing has to have counted there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace heddle::test {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t end = 1;  // behind the last
  bool fuzzing = false;

  Seeds(std::uint64_t begin, std::uint64_t count, bool is_fuzzing)
      : first(begin), end(begin + count), fuzzing(is_fuzzing) {}
  Seeds(const Seeds&) = delete;
  Seeds& operator=(const Seeds&) = delete;
  ~Seeds() {
    if (!testing::Test::HasFailure()) return;
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::cout << "The seeds were " << first << " to " << end - 1 << ". Again: ";
    if (fuzzing) std::cout << "HEDDLE_FIRST_SEED=" << first << " HEDDLE_SEEDS=" << end - first << ' ';
    std::cout << "build/tests/unit/unit_search --gtest_filter=" << test.test_suite_name() << '.' << test.name() << '\n';
  }
};

inline Seeds seeds(std::uint64_t by_default) {
  const char* first = std::getenv("HEDDLE_FIRST_SEED");
  const char* count = std::getenv("HEDDLE_SEEDS");
  if (first != nullptr && count != nullptr)
    return {std::strtoull(first, nullptr, 10), std::strtoull(count, nullptr, 10), true};
  const char* drawn = std::getenv("HEDDLE_DRAWN_SEED");
  if (drawn == nullptr) return {1, by_default, false};
  const std::uint64_t third = (by_default + 2) / 3;
  return {1 + std::strtoull(drawn, nullptr, 10) % 3 * third, third, true};
}

}  // namespace heddle::test
