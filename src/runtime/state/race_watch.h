// Are races looked for now? Every access and every block of the heap asks this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// `thread_pointer` is that of the task that runs, or 0: nobody looks for races now. So threads that Heddle does not
// schedule are told apart, too.
struct ExecutionRaceWatch {
  std::uint64_t thread_pointer = 0;
  const std::uint16_t* ignored = nullptr;  // TaskData::races_ignored of the task that runs
  std::uint32_t accesses_left = 0;  // until it is suspected that a loop waits for a plain variable (model/plain_loop.h)
};
extern ExecutionRaceWatch race_watch;
inline bool detects_races() { return __builtin_expect(race_watch.thread_pointer != 0, 0); }

}  // namespace heddle::runtime
