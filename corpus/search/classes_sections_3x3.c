// 3 tasks enter 3 critical sections each: the classes are the orders of the sections.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 1680
#include "sections.h"

int main(void) { return run_sections(3, 3); }
