// As race_event_deleted.cpp, but it is signalled under the lock: nobody deletes it before that is given back.
// heddle: run
// expect: clean complete
// twin: races/race_event_deleted.cpp
// build: heddle-cc clang
#include "races/event.h"

void Event::set() {
  std::lock_guard guard(mutex);
  is_set = true;
  changed.notify_one();
}
