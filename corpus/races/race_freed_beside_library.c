// As freed_by_library.c, but one of them frees the message itself, whoever else uses it.
// heddle: run
// expect: bug data race at bound 0
// says: writes message.from_receiver
// twin: races/freed_by_library.c
// build: heddle-cc
// library: races/library/counted.c
#include <stdlib.h>

#include "races/library/counted.h"
#include "races/two_threads.h"

static struct message* message;

__attribute__((constructor)) static void make(void) { message = counted_new(1); }

static void first(void) {
  message->from_sender = 1;
  free(message);
}

static void second(void) { message->from_receiver = 2; }

static void last(void) {}
