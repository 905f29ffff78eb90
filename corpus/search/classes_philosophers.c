// Three philosophers who take the left fork first: six classes come to an end, and one is a deadlock.
// heddle: run --search=dpor --keep-going
// expect: bug deadlock
// says: (7)
// twin: classes_philosophers_ordered.c
#include "philosophers.h"

int main(void) { return dinner(); }
