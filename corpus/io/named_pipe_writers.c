// The reader of a named pipe takes its end for the end of all messages. If the first writer closes it before the second
// one opens it, that one waits for a reader for ever.
//
// heddle: run
// expect: bug deadlock at bound 0
// isolation: exec
// says: waits for the other end of named pipe 1 to be opened
// twin: named_pipe_writers_fixed.c
#include "io/named_pipe_writers.h"

int main(void) {
  pthread_t first, second;
  char byte;
  make_pipe();
  pthread_create(&first, NULL, write_message, NULL);
  pthread_create(&second, NULL, write_message, NULL);
  const int end = open(kPath, O_RDONLY);
  while (read(end, &byte, 1) == 1) continue;
  close(end);
  join_and_remove(first, second);
}
