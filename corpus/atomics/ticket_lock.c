// A ticket lock: one addition takes the number and makes the next one.
// heddle: run
// expect: clean bound 4
// twin: atomics/ticket_lock_same_ticket.c
// build: heddle-cc
#include "atomics/ticket_lock.h"

static unsigned take_ticket(void) { return atomic_fetch_add(&next_ticket, 1); }
