// A ticket lock that looks at the number and then makes the next one: two threads may take the same. If both come in,
// nobody's turn is skipped over; if one has gone before the other looks, that one's number never comes again.
// heddle: run
// expect: bug livelock at bound 1
// says: reads now_serving again and again, which nobody will change
// twin: atomics/ticket_lock.c
// build: heddle-cc
#include "atomics/ticket_lock.h"

static unsigned take_ticket(void) {
  const unsigned ticket = atomic_load(&next_ticket);
  atomic_store(&next_ticket, ticket + 1);
  return ticket;
}
