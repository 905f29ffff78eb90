// heddle: run
// expect: bug crash at bound 1
// says: SIGSEGV at address 0x1234
// twin: reports_a_wild_jump_fixed.c
#define LATER ((void (*)(void))(uintptr_t)0x1234)
#include "snapshot/reports_a_wild_jump.h"
