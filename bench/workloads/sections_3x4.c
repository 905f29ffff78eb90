// Three tasks, each with four critical sections of one lock.
#include "sections.h"

int main(void) { return run_sections(3, 4); }
