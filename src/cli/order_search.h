// Searches with other memory orders than the program has (--memory), in the model, without a rebuild.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "driver/explore/explore.h"
#include "report/report.h"

namespace heddle::cli {

// An order belongs to a place in the code. A compare-exchange has a second one there, for when it fails: true.
std::pair<Site, bool> order_key(const StepRecord& step);
AtomicPlace atomic_place(const Execution& execution, std::size_t step, Names& names);

// "the store of flag at queue.h:41"
std::string in_words(const AtomicPlace& place);
// "release"
const char* order_name(const AtomicPlace& place, OrderChange to);

// One search of many that end by a time: all schedules with so many preemptions and old values.
struct OrderSearch {
  using Clock = std::chrono::steady_clock;
  unsigned bound = 0;
  unsigned max_stale = 0;
  Clock::time_point end;  // it takes a quarter of what is left until then
  struct Result {
    bool passes = false;   // all were run, and nothing failed
    bool ran_out = false;  // nothing failed, but not all were run
    bool missed = false;   // some old values had no room
    std::uint64_t schedules = 0;
  };
  // `options`: of the program's run. Where `changed` leaves an order out, it is the program's.
  Result run(const Target& target, const RunOptions& options, std::vector<ChangedOrder> changed,
             Observer& observer) const;
};

}  // namespace heddle::cli
