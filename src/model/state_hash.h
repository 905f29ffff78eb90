// The hash of a state of the world: what every task is about to do, what it holds, and what it waits for. Equal states
// have equal hashes. What only counts up (steps, rounds, virtual time as such) is not in it: from equal states the same
// steps lead to equal states again. Together with the program's memory it shows that an execution is back where it was.
#pragma once

#include <cstdint>

#include "model/world.h"
#include "protocol/mix.h"

namespace heddle::model {

struct StateHash {
  std::uint64_t one = kGoldenRatio, two = 0xc2b2ae3d27d4eb4f;
  friend bool operator==(const StateHash&, const StateHash&) = default;

  void add(std::uint64_t word) {
    one = (one ^ word) * 0x9fb21c651e98df25;
    one ^= one >> 32;
    two = (two + word) * 0xd6e8feb86659fd93;
    two ^= two >> 29;
  }
};

// At a decision: all tasks have published what they are about to do.
StateHash hash_state(const World& world);

// What tasks remember of their loops of reads (spinning.h), as far as it decides on what they do next. It is no part of
// a state: where all others had their turn, it does not matter.
StateHash hash_reads(const World& world);

// Has each task that could have gone on at some time since step `since` done so, or could do so when its time comes?
// Asked in a state equal to the one that there was at `since`. (Strong fairness of the cycle between the two.)
bool is_fair_since(const World& world, std::uint32_t since);

}  // namespace heddle::model
