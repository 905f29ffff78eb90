// Two threads whose sections have different mutexes, so that their order seems not to matter; but both write to one
// variable, without a lock that they share. No outcome shows it. What the variable holds at the end does: the search
// compares it, of some schedules and of another order of the same steps, and begins again without leaving any out.
//
// heddle: run
// expect: clean complete
// says: schedules that seem equivalent are all run, from the beginning: two schedules that differ only in the order of independent steps left different memory: last_writer was 2 or 1 at the end
// twin: last_writer_fixed.c
#define AT_END() (void)0
#include "search/last_writer.h"
