// Which random programs a property test takes. A run takes few, and `./dev test` begins at a seed that it draws from
// the commit, so that each commit is tested on programs of its own: HEDDLE_FIRST_SEED names the seed. `./dev fuzz` goes
// on from seed to seed; it also sets HEDDLE_SEEDS, their number.
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
    std::cout << "The seeds were " << first << " to " << end - 1 << ". Again: HEDDLE_FIRST_SEED=" << first
              << " build/tests/unit/unit_search --gtest_filter=" << test.test_suite_name() << '.' << test.name()
              << '\n';
  }
};

inline Seeds seeds(std::uint64_t by_default) {
  const char* first = std::getenv("HEDDLE_FIRST_SEED");
  const char* count = std::getenv("HEDDLE_SEEDS");
  const std::uint64_t begin = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  const bool fuzzing = first != nullptr && count != nullptr;
  return {begin, fuzzing ? std::strtoull(count, nullptr, 10) : by_default, fuzzing};
}

}  // namespace heddle::test
