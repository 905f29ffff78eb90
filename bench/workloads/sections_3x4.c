// Three tasks, each with four critical sections of one lock: what the ring probe's tiny3.c does.
#include "sections.h"

int main(void) { return run_sections(3, 4); }
