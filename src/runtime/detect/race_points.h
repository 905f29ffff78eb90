// Which places are scheduling points because their accesses race: in all executions those that the driver has named; in
// the rest of this execution also the reads of loops that wait for a plain variable. (When the variable is written, the
// race is found, and they become points of all executions.)
#pragma once

#include <cstddef>

#include "runtime/detect/point_sites.h"

namespace heddle::runtime {

struct PermanentPoints {
  PointSites sites;
  std::uint32_t at_start = 0;  // in files that are there in all executions
};
extern PermanentPoints permanent_points;

struct ExecutionPoints {
  unsigned loop_site_count = 0;
};
extern ExecutionPoints execution_points;

// Before executions; `take` gives zeroed memory that is never restored. Ends the process where the driver wants points
// and there is no room for them: without all of them it would be another search than the one that is reported.
void make_point_sites(void* (*take)(std::size_t bytes));
bool can_have_points();
// At the beginning of an execution.
void begin_points();
// Of a file that has just been loaded.
void add_points_of_files();
// No more than there is room for.
void add_loop_site(Site site);
bool is_loop_site(Site site);

// Only while can_have_points().
inline bool is_point(const void* caller) {
  const auto site = reinterpret_cast<Site>(caller);
  return permanent_points.sites.contains(site) || (execution_points.loop_site_count != 0 && is_loop_site(site));
}

// In this execution; counts it. A loop that races is not to take all of --max-steps.
bool may_take_point();

}  // namespace heddle::runtime
