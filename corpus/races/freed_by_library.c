// Two threads write to parts of a message of their own and let go of it; the library frees it behind the last of them.
// heddle: run
// expect: clean complete
// twin: races/race_freed_beside_library.c
// build: heddle-cc
// library: races/library/counted.c
#include "races/library/counted.h"
#include "races/two_threads.h"

static struct message* message;

__attribute__((constructor)) static void make(void) { message = counted_new(2); }

static void first(void) {
  message->from_sender = 1;
  counted_release(message);
}

static void second(void) {
  message->from_receiver = 2;
  counted_release(message);
}

static void last(void) {}
