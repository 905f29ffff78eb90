// 2 tasks enter 2 critical sections each: the classes are the orders of the sections.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 6
#include "sections.h"

int main(void) { return run_sections(2, 2); }
