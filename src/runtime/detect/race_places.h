// Names for accesses in the race detector's shadow memory: where in the code, at which step, with which call stack. All
// of them belong to one execution.
#pragma once

#include <cstdint>

#include "model/race_detector.h"

namespace heddle::runtime {

struct AccessPlace {
  Site site = 0;
  std::uint32_t step = 0;   // so many steps came before it
  std::uint32_t stack = 0;  // where the call stack begins in what `stack_of()` gives; 0: it has none
};

// False: `take` has no memory.
bool make_places(void* (*take)(std::size_t bytes));
void begin_places();
// The number of a place for an access that the running task makes now.
model::Place place_here(Site site);
// The same for what the call does whose step, the task's, has just been taken: the place is the one before it.
model::Place place_of_step(TaskId task, Site site);
// The end of a task that has ended, at the function that it ran.
model::Place place_of_end(TaskId task);
const AccessPlace& place_of(model::Place place);
// Innermost first. Null when there is none.
const Site* stack_of(const AccessPlace& place, unsigned& depth);
// Has a race between these two sites been reported in this execution, with these RaceFlags besides, or are there too
// many? Remembers it.
bool is_reported(const model::FoundRace& race, std::uint8_t flags);

}  // namespace heddle::runtime
