// The reader has the pipe open for writing, too, and so never comes to an end: it counts the messages.
//
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
// twin: named_pipe_writers.c
#include "io/named_pipe_writers.h"

int main(void) {
  pthread_t first, second;
  char byte;
  make_pipe();
  const int end = open(kPath, O_RDWR);
  pthread_create(&first, NULL, write_message, NULL);
  pthread_create(&second, NULL, write_message, NULL);
  for (int messages = 0; messages < 2; ++messages)
    if (read(end, &byte, 1) != 1) abort();
  join_and_remove(first, second);
  close(end);
}
