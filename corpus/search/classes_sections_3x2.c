// 3 tasks enter 2 critical sections each: the classes are the orders of the sections.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 90
#include "sections.h"

int main(void) { return run_sections(3, 2); }
