// A thread looks the number of a connection up under a lock, and reads from it. Another one takes the connection away
// under the lock, closes it and opens the next one, which gets the number: the first thread reads what was meant for
// the next reader. It would wait for data, so that no preemption is needed; but it may not have come as far as the
// kernel.
//
// heddle: run
// expect: bug assertion at bound 0
// says: it_was_for_me
// twin: number_of_another_fixed.c
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connection[2], is_there = 1;

static void* make(void* argument) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, connection) == 0);
  return argument;
}

static void renew(void) {
  int next[2];
  close(connection[0]);
  close(connection[1]);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, next) == 0 && next[0] == connection[0]);
  assert(write(next[1], "2", 1) == 1);
}

static void* read_first(void* argument) {
  pthread_mutex_lock(&lock);
  const int number = is_there ? connection[0] : -1;
  pthread_mutex_unlock(&lock);
  char byte = 0;
  const int it_was_for_me = read(number, &byte, 1) != 1 || byte == '1';
  assert(it_was_for_me);
  return argument;
}

static void* take_away(void* argument) {
  pthread_mutex_lock(&lock);
  is_there = 0;
  pthread_mutex_unlock(&lock);
#ifdef SHUT_DOWN_FIRST
  shutdown(connection[0], SHUT_RDWR);
#else
  renew();
#endif
  return argument;
}

int main(void) {
  pthread_t reader, other;
  pthread_create(&reader, NULL, make, NULL);
  pthread_join(reader, NULL);
  pthread_create(&reader, NULL, read_first, NULL);
  pthread_create(&other, NULL, take_away, NULL);
  pthread_join(reader, NULL);
  pthread_join(other, NULL);
#ifdef SHUT_DOWN_FIRST
  renew();
#endif
}
