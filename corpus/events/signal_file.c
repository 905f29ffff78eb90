// A signal thread reads requests to stop from a signalfd: two that come close together are one, but it waits for both.
// heddle: run
// expect: bug deadlock at bound 0
// twin: signal_file_fixed.c
#define STOPS 2
#include "signal_file.h"
