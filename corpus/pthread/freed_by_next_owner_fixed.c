// The worker sets the flag under the mutex, and main reads it under the mutex: when main frees the job, the worker's
// unlock has taken effect. A worker that is stopped behind its unlock must not look at the mutex again.
// heddle: run
// expect: clean complete
// twin: freed_by_next_owner.c
#define LOCKED
#include "freed_by_next_owner.c"
