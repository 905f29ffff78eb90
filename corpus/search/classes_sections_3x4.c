// 3 tasks enter 4 critical sections each: the classes are the orders of the sections.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 34650
#include "sections.h"

int main(void) { return run_sections(3, 4); }
