// A write through a null pointer with an offset, in one schedule.
// heddle: run
// expect: bug crash at bound 1
// twin: strikes_never.c
#include "snapshot/one_schedule.h"

struct Table {
  int unused[300];
  int last;
};
static struct Table* volatile table;

static void write_wildly(void) { table->last = 1; }

int main(void) {
  race(write_wildly);
  return 0;
}
