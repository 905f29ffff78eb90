// Two tasks, each with five critical sections of one lock: what the ring probe's tiny.c does.
#include "sections.h"

int main(void) { return run_sections(2, 5); }
