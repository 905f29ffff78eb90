// Four tasks with eight critical sections each: more schedules at three preemptions than anyone will run.
#include "sections.h"

int main(void) { return run_sections(4, 8); }
