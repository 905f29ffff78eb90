// Random numbers for one plan of a search that draws.
#pragma once

#include <cstdint>

#include "protocol/mix.h"

namespace heddle {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    state_ += kGoldenRatio;
    return scrambled(state_);
  }
  std::uint64_t below(std::uint64_t limit) { return limit > 1 ? bits() % limit : 0; }

 private:
  std::uint64_t state_;
};

}  // namespace heddle
