// W1: two tasks, each with two critical sections of one lock. The smallest thing worth exploring.
#include "sections.h"

int main(void) { return run_sections(2, 2); }
