// std::counting_semaphore of libstdc++ 12, from the installed header, as a mutex (gcc bug 104928): a thread that has
// seen 1 and found it taken looks sixteen times, in vain, and then sleeps until the value is no longer 1. If the other
// has given it back just before, nobody will ever change it.
// heddle: run
// expect: bug deadlock at bound 2
// says: std::counting_semaphore::acquire
// twin: atomics/binary_semaphore_posix.cpp
// build: heddle-cc
#include "atomics/binary_semaphore.h"
