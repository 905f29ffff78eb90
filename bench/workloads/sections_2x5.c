// Two tasks, each with five critical sections of one lock.
#include "sections.h"

int main(void) { return run_sections(2, 5); }
