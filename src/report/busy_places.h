// The places of the program that brought most schedules, in words: for a search that was cut off.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"

namespace heddle {

class SwitchPlaces;  // not its header: whoever reads a report would compile its table, too

struct BusyPlace {
  std::string what;     // "mutex lock of queue_lock"
  std::string where;    // "queue.cpp:33"
  std::string scope;    // what --no-preempt leaves it out with: "function:drain"; empty: nothing
  double share = 0;     // of the schedules that deviate somewhere, those that do so last here
  bool yields = false;  // a yield or the like: to switch there costs no preemption
};

// `names` are of any execution of the same program.
std::vector<BusyPlace> describe(const SwitchPlaces& places, std::size_t count, Names& names);

}  // namespace heddle
