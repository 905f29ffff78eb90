// Three philosophers who take the lower fork first: each pair meets at one fork, so the classes are the orders of
// three.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 6
// twin: classes_philosophers.c
#include "philosophers.h"

int main(void) {
  lower_first = 1;
  return dinner();
}
