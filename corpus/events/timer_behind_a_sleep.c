// A timer of nine seconds comes behind a sleep of five.
// heddle: run --timeouts=late
// expect: bug assertion at bound 0
// twin: timer_interrupts_sleep.c
#define TIMER_SECONDS 9
#include "timer_interrupts_sleep.h"
