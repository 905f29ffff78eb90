// See once.h. Three ways lead out of an initializer before its end. Exceptions, and forced unwinding in C++ programs,
// run the cleanup of the frame. Forced unwinding in a C program (a thread that is cancelled or exits), and longjmp(),
// run the C library's list of cleanups, as in its own pthread_once().
#include <pthread.h>
#include <stddef.h>

#include "runtime/intercept/once.h"

// The C++ runtime's, where the program has one. In a C program no exception comes through here, and libgcc_s, if
// libheddle.so needed it, would cost every fork five mappings.
__asm__(".weak __gcc_personality_v0\n.weak _Unwind_Resume");

// The C library's; its header declares them for old programs only.
void _pthread_cleanup_push(struct _pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer* buffer, int execute);

struct Attempt {
  struct _pthread_cleanup_buffer listed;
  uint64_t token;
  int over;
};

static void abandon(void* attempt_of_task) {
  struct Attempt* attempt = attempt_of_task;
  if (attempt->over) return;
  attempt->over = 1;
  heddle_once_aborted(attempt->token);
}

static void leave(struct Attempt* attempt) {
  if (attempt->over) return;  // the list has been through it
  _pthread_cleanup_pop(&attempt->listed, 0);
  abandon(attempt);
}

void heddle_call_once(void (*initializer)(void), uint64_t token) {
  __attribute__((cleanup(leave))) struct Attempt attempt = {.token = token};
  _pthread_cleanup_push(&attempt.listed, abandon, &attempt);
  initializer();
  _pthread_cleanup_pop(&attempt.listed, 0);
  attempt.over = 1;
}
