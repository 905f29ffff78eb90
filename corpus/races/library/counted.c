// See counted.h.
#include "races/library/counted.h"

#include <stdlib.h>

struct message* counted_new(int users) {
  struct message* message = calloc(1, sizeof *message);
  message->users = users;
  return message;
}

__attribute__((optimize("optimize-sibling-calls"))) void counted_release(struct message* message) {
  if (__atomic_sub_fetch(&message->users, 1, __ATOMIC_ACQ_REL) == 0) free(message);
}
