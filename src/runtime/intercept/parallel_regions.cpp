// Parallel regions of OpenMP: what came before the region happens before each thread of a team begins, and the ends of
// all of them happen before what follows the region. The libraries order this by atomic operations of their own, and by
// a futex only where a thread has to wait (library_calls.def). So here the race detector gets that order.
#include <cstdarg>

#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/library_function.h"
#include "runtime/os/system_call.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// What ends before others begin does not come before these: so ends and beginnings have addresses of their own.
struct Team {
  char begins, ended;
};

// --- GNU's: every function has the body and its data as the first two arguments, and six more at most.

using Body = void (*)(void*);
using RegionFunction = void (*)(Body, void*, long, long, long, long, long, long);

struct Region {
  Team team;
  Body body;
  void* data;
};

void run_body(void* region_) {
  const auto* const region = static_cast<const Region*>(region_);
  races_acquire(&region->team.begins);
  region->body(region->data);
  races_release(&region->team.ended);
}

// --- clang's: the body gets so many pointers behind two of the library's own.

constexpr int kMaxPointers = 64;
using Pointer = void*;
using ClangBody = void (*)(int*, int*, ...);

struct ClangRegion {
  Team team;
  ClangBody body;
  Pointer data[kMaxPointers];
};

#define HEDDLE_EIGHT(data, from)                                                                                    \
  (data)[from], (data)[(from) + 1], (data)[(from) + 2], (data)[(from) + 3], (data)[(from) + 4], (data)[(from) + 5], \
      (data)[(from) + 6], (data)[(from) + 7]

// More than it takes does no harm.
void run_clang_body(int* thread, int* bound, ClangRegion* region) {
  races_acquire(&region->team.begins);
  const Pointer* const data = region->data;
  region->body(thread, bound, HEDDLE_EIGHT(data, 0), HEDDLE_EIGHT(data, 8), HEDDLE_EIGHT(data, 16),
               HEDDLE_EIGHT(data, 24), HEDDLE_EIGHT(data, 32), HEDDLE_EIGHT(data, 40), HEDDLE_EIGHT(data, 48),
               HEDDLE_EIGHT(data, 56));
  races_release(&region->team.ended);
}
#undef HEDDLE_EIGHT

}  // namespace
}  // namespace heddle::runtime

#define HEDDLE_Clang_REGION(name)
#define HEDDLE_Gnu_REGION(name)                                                                                   \
  static HEDDLE_PERMANENT RegionFunction library_##name = nullptr;                                                \
  HEDDLE_EXPORT void name(Body body, void* data, long c, long d, long e, long f, long g, long h) {                \
    if (__builtin_expect(library_##name == nullptr, 0))                                                           \
      library_##name = reinterpret_cast<RegionFunction>(library_function(#name, reinterpret_cast<void*>(&name))); \
    if (!controlled()) return library_##name(body, data, c, d, e, f, g, h);                                       \
    Region region{{}, body, data};                                                                                \
    races_release(&region.team.begins);                                                                           \
    library_##name(run_body, &region, c, d, e, f, g, h);                                                          \
    races_acquire(&region.team.ended);                                                                            \
  }
#define HEDDLE_LIBRARY_CALL(name, effect, argument)
#define HEDDLE_LIBRARY_REGION(name, form) HEDDLE_##form##_REGION(name)
#define HEDDLE_LIBRARY_SHARE(name)
#include "runtime/intercept/library_calls.def"
#undef HEDDLE_LIBRARY_SHARE
#undef HEDDLE_LIBRARY_REGION
#undef HEDDLE_LIBRARY_CALL
#undef HEDDLE_Gnu_REGION
#undef HEDDLE_Clang_REGION

namespace {

using ForkCall = void (*)(void*, int, ClangBody, ...);
struct PermanentRegions {
  ForkCall library_fork_call = nullptr;
};
HEDDLE_PERMANENT constinit PermanentRegions permanent_regions{};

}  // namespace

HEDDLE_EXPORT void __kmpc_fork_call(void* place, int count, ClangBody body, ...) {
  if (__builtin_expect(permanent_regions.library_fork_call == nullptr, 0))
    permanent_regions.library_fork_call =
        reinterpret_cast<ForkCall>(library_function("__kmpc_fork_call", reinterpret_cast<void*>(&__kmpc_fork_call)));
  if (count > kMaxPointers) {
    os::complain("heddle: an OpenMP region gets more than 64 variables from around it: too many to be looked at\n");
    os::exit_process(127);
  }
  ClangRegion region{{}, body, {}};
  va_list pointers;
  va_start(pointers, body);
  for (int i = 0; i < count; ++i) region.data[i] = va_arg(pointers, void*);
  va_end(pointers);
  if (controlled()) races_release(&region.team.begins);
  permanent_regions.library_fork_call(place, 1, reinterpret_cast<ClangBody>(run_clang_body), &region);
  if (controlled()) races_acquire(&region.team.ended);
}
