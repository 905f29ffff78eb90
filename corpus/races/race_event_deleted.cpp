// Whoever waits deletes the event once it is set, and whoever sets it goes on to signal it.
// heddle: run
// expect: bug data race at bound 0
// says: uses Event.changed in it
// twin: races/race_event_kept.cpp
// build: heddle-cc
#include "races/event.h"

void Event::set() {
  {
    std::lock_guard guard(mutex);
    is_set = true;
  }
  changed.notify_one();
}
