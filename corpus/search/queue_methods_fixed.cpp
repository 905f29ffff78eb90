// The queue of queue_methods.cpp, which counts a value in the piece of code that puts it in.
// heddle: run --search=bounded --max-preemptions=2
// expect: clean bound 2
// twin: queue_methods.cpp
#include "queue_methods.h"
