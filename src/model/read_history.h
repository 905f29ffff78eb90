// What a task has read since it last changed something. spinning.h says why.
#pragma once

#include <cstdint>

#include "protocol/operations.h"
#include "protocol/time_slice.h"

namespace heddle::model {

struct ReadHistory {
  static constexpr std::uint32_t kCapacity = 8;  // of different reads in a loop; longer ones are not seen as such
  static constexpr std::uint32_t kPatience = kPatienceInLoops;
  static constexpr std::uint32_t kLongRound = 100;  // who takes more steps between yields is not about to sleep
  static constexpr std::uint32_t kFreeReads = 100;  // of a task that waits, when nobody else can go on
  struct Entry {
    Site site;
    ObjectId object;
    std::uint32_t changes;  // MemoryState::changes when it was read last
    std::uint32_t visit;    // the how-manieth read that was
    std::uint64_t state;    // the task's; 0: not known yet
  };
  Entry entries[kCapacity];
  std::uint32_t count = 0;
  std::uint32_t last_step = 0;  // the task's last step, if that was a read or a yield
  std::uint32_t visits = 0;     // how many reads there have been
  std::uint32_t repeated = 0;   // how many reads have been taken that stood there already, since one found a change
  std::uint32_t yields = 0;     // since the last read
  std::uint32_t free_reads = 0;
  bool hopeless = false;  // it has used up its free reads
  bool too_long = false;  // more different reads than there is room for
  // Yields that did not count for fairness since another task has made a step, and the last of them. A loop may do
  // other things than reading, too, and begin a new history in each round.
  std::uint32_t patient_yields = 0;
  std::uint32_t last_patient_yield = 0;
  std::uint32_t own_steps_at_yield = 0;  // how many steps the task had taken before its last yield

  // The entries stay where they are: behind `count` nobody looks.
  void forget() {
    count = last_step = visits = repeated = yields = free_reads = 0;
    hopeless = too_long = false;
  }
};

// Is any state in it? Then the task has read something again.
inline bool has_states(const ReadHistory& history) { return history.count != 0 && history.repeated != 0; }
// All states in it differ by that.
inline void shift_states(ReadHistory& history, std::uint64_t difference) {
  for (std::uint32_t i = 0; i < history.count; ++i)
    if (history.entries[i].state != 0) history.entries[i].state += difference;
}

}  // namespace heddle::model
