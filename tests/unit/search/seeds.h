// Which random programs a property test takes: a few hundred by default, others under `./dev fuzz`, which goes on from
// seed to seed by the environment variables HEDDLE_FIRST_SEED and HEDDLE_SEEDS.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace heddle::test {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t end = 1;  // behind the last
  bool fuzzing = false;
};

inline Seeds seeds(std::uint64_t by_default) {
  const char* first = std::getenv("HEDDLE_FIRST_SEED");
  const char* count = std::getenv("HEDDLE_SEEDS");
  if (first == nullptr || count == nullptr) return {1, 1 + by_default, false};
  const std::uint64_t begin = std::strtoull(first, nullptr, 10);
  return {begin, begin + std::strtoull(count, nullptr, 10), true};
}

}  // namespace heddle::test
