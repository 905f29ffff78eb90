// W2: three tasks, each with two critical sections of one lock.
#include "sections.h"

int main(void) { return run_sections(3, 2); }
