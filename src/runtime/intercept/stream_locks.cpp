// The locks of streams, which are glibc's own: without contention Heddle does not see them taken. The race detector
// must know what they order. It also needs the other orders of them to find some races, so they are scheduling points
// while it looks. A wait is a futex wait, as ever.
#include <stdio.h>

#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/schedule/points.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

namespace {

void point(const FILE* stream, Site site) {
  if (detects_races()) point_at_library_call(stream, site);
}

}  // namespace

HEDDLE_EXPORT void flockfile(FILE* stream) {
  if (!controlled()) return real::flockfile(stream);
  point(stream, HEDDLE_CALLER);
  real::flockfile(stream);
  races_acquire(stream);
}

HEDDLE_EXPORT int ftrylockfile(FILE* stream) {
  if (!controlled()) return real::ftrylockfile(stream);
  point(stream, HEDDLE_CALLER);
  const int result = real::ftrylockfile(stream);
  if (result == 0) races_acquire(stream);
  return result;
}

HEDDLE_EXPORT void funlockfile(FILE* stream) {
  if (!controlled()) return real::funlockfile(stream);
  point(stream, HEDDLE_CALLER);
  races_release(stream);
  real::funlockfile(stream);
}
