// A timer of two seconds ends a sleep of five that began before: threads are not slow here, so the sleep had begun.
// heddle: run --timeouts=late
// expect: clean complete
// twin: timer_behind_a_sleep.c
#define TIMER_SECONDS 2
#include "timer_interrupts_sleep.h"
