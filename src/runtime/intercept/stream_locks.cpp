// The locks of streams, which are glibc's own: nobody sees them taken unless there is somebody to wait for. What they
// order is told to the detector of races; a wait is a futex wait, as ever.
#include <stdio.h>

#include "runtime/instrument/races.h"
#include "runtime/intercept/intercept.h"

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT void flockfile(FILE* stream) {
  if (!controlled()) return real::flockfile(stream);
  real::flockfile(stream);
  races_acquire(stream);
}

HEDDLE_EXPORT int ftrylockfile(FILE* stream) {
  if (!controlled()) return real::ftrylockfile(stream);
  const int result = real::ftrylockfile(stream);
  if (result == 0) races_acquire(stream);
  return result;
}

HEDDLE_EXPORT void funlockfile(FILE* stream) {
  if (controlled()) races_release(stream);
  real::funlockfile(stream);
}
