// Reads the time stamp counter in a shared library, for time_stamp_of_sleeps.c.
#include <x86intrin.h>

unsigned long long library_ticks(void) { return __rdtsc(); }
