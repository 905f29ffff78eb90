// The twin of binary_semaphore.cpp: the same class over sem_t, where a thread that sleeps waits for a number of posts.
// heddle: run
// expect: clean complete
// twin: atomics/binary_semaphore.cpp
// build: heddle-cc
#define _GLIBCXX_USE_POSIX_SEMAPHORE 1
#include "atomics/binary_semaphore.h"
