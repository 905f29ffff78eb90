// A signal thread reads a request to stop from a signalfd: that two came close together does not matter to it.
// heddle: run
// expect: clean complete
// twin: signal_file.c
#define STOPS 1
#include "signal_file.h"
