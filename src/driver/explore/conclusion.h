// What a search reports at its end: what it proved, and what made it long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/execute/session.h"
#include "driver/explore/search.h"
#include "driver/explore/tally.h"
#include "report/report.h"

namespace heddle {

// Why there is no verdict although nothing went wrong with Heddle itself; empty: there is one. `orders_missed`: see
// RacingPlaces.
std::string nothing_proved(const Report& report, const RunOptions& options, const Search& search, const Tally& tally,
                           const std::string& orders_missed);
// Is it that orders were missed?
bool is_of_orders_missed(std::string_view why);

// A warning that schedules were cut off at the step limit, if any were. `first`: where the threads were in the first.
// The places where it was not sequentially consistent, for with_places(); empty: it was.
std::string where_not_sequential(const Execution& execution);
std::string about_cut_off(const Report& report, const Tally& tally, const std::string& first);

// The places that brought most schedules of a search that was cut off. `example`: one of its executions.
std::vector<BusyPlace> busy_places(const Search& search, const Tally& tally, const Execution& example,
                                   const Session& session);

// A search that stops after fewer schedules needs no advice.
inline constexpr std::uint64_t kMany = 1000;

}  // namespace heddle
