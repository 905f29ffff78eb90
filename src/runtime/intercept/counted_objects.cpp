// Some libraries count the shares of an object by atomic operations that Heddle does not see, and call the program's
// destructor when the last share is given up: HEDDLE_LIBRARY_SHARE in library_calls.def. The count orders whatever the
// others did with the object before the destructor. So the destructor's accesses don't race, and they are not checked.
#include "runtime/intercept/counted_objects.h"

#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/library_function.h"
#include "runtime/state/race_watch.h"

using namespace heddle;
using namespace heddle::runtime;

void heddle_ignore_accesses(int begin) {
  for (const bool writes : {false, true}) races_ignore(writes, begin != 0);
}

#define HEDDLE_LIBRARY_CALL(name, effect, argument)
#define HEDDLE_LIBRARY_REGION(name, form)
#define HEDDLE_LIBRARY_SHARE(name)                                                                              \
  static HEDDLE_PERMANENT HeddleGiveUp library_##name = nullptr;                                                \
  HEDDLE_EXPORT void* name(void* share, const void* other) {                                                    \
    if (__builtin_expect(library_##name == nullptr, 0))                                                         \
      library_##name = reinterpret_cast<HeddleGiveUp>(library_function(#name, reinterpret_cast<void*>(&name))); \
    if (detects_races()) return heddle_give_up(library_##name, share, other);                                   \
    return library_##name(share, other);                                                                        \
  }
#include "runtime/intercept/library_calls.def"
#undef HEDDLE_LIBRARY_SHARE
#undef HEDDLE_LIBRARY_REGION
#undef HEDDLE_LIBRARY_CALL
