// See race_points.h.
#include "runtime/detect/race_points.h"

#include <link.h>

#include <array>

#include "runtime/os/rare.h"
#include "runtime/os/system_call.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

HEDDLE_PERMANENT constinit PermanentPoints permanent_points{};
constinit ExecutionPoints execution_points{};

namespace {

constexpr std::uint32_t kMaxPointSteps = 10'000;
constexpr unsigned kMaxLoopSites = 32;
struct ExecutionPointSteps {
  std::uint32_t taken = 0;
  Rare<std::array<Site, kMaxLoopSites>> loop_sites;
};
constinit ExecutionPointSteps execution_point_steps{};

[[noreturn]] void no_going_on(const char* why) {
  os::complain(why);
  os::exit_process(127);
}

// The main program has no name here.
int add_points_of(dl_phdr_info* info, std::size_t, void*) {
  const char* const path = info->dlpi_name[0] != '\0' ? info->dlpi_name : runtime.shared->modules.modules[0].path;
  if (!permanent_points.sites.add(runtime.shared->points, file_key(path), info->dlpi_addr))
    no_going_on("heddle: too many loaded files with one name: their places that race can't all be scheduling points\n");
  return 0;
}

}  // namespace

void add_points_of_files() {
  if (runtime.shared->points.count != 0) for_each_loaded_file(add_points_of, nullptr);
}

void make_point_sites(void* (*take)(std::size_t bytes)) {
  permanent_points.sites.set_memory(static_cast<PointSites::Memory*>(take(sizeof(PointSites::Memory))));
  if (!permanent_points.sites.has_memory()) {
    if (runtime.shared->points.count == 0) return;
    no_going_on(
        "heddle: no address space for places that race to be scheduling points (is there a limit, `ulimit -v`?)\n");
  }
  permanent_points.sites.add(runtime.shared->points, 0, 0);
  add_points_of_files();
  permanent_points.at_start = permanent_points.sites.count();
}

bool can_have_points() { return permanent_points.sites.has_memory(); }

void begin_points() {
  if (can_have_points()) permanent_points.sites.keep(permanent_points.at_start);
  execution_point_steps.taken = 0;
  execution_points.loop_site_count = 0;
}

void add_loop_site(Site site) {
  if (execution_points.loop_site_count < kMaxLoopSites)
    (*execution_point_steps.loop_sites)[execution_points.loop_site_count++] = site;
}

bool is_loop_site(Site site) {
  for (unsigned i = 0; i < execution_points.loop_site_count; ++i)
    if ((*execution_point_steps.loop_sites)[i] == site) return true;
  return false;
}

bool may_take_point() { return execution_point_steps.taken++ < kMaxPointSteps; }

}  // namespace heddle::runtime
