// The sections of two threads have different mutexes, and the program relies on one being the last all the same. An
// order that counts as equivalent fails: it is reported, and the run does not claim that all schedules were run.
//
// heddle: run --search=dpor
// expect: bug assertion
// says: two that count as equivalent were seen to differ
// twin: last_writer_fixed.c
#include <assert.h>
#define AT_END() assert(last_writer == 2)
#include "search/last_writer.h"
