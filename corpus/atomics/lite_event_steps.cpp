// LiteEvent of PLINQ once more, with its flag and its handle as steps: the handle is read without the lock, which is a
// race, too.
// heddle: run --races=report
// expect: bug assertion at bound 1
// says: is_open
// says: data race:
// says: lite_event.cpp:65
// twin: atomics/lite_event_steps_fixed.cpp
// build: heddle-cc
#include "chess/lite_event.cpp"
