// A server answers on its end of a socket pair, made before its thread, until nothing more can come.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void* serve(void* unused) {
  char request;
  while (recv(ends[1], &request, 1, 0) == 1) assert(send(ends[1], &request, 1, 0) == 1);
  return unused;
}

static void* ask(void* unused) {
  char answer = 0;
  assert(send(ends[0], "a", 1, 0) == 1 && recv(ends[0], &answer, 1, 0) == 1 && answer == 'a');
  return unused;
}

int main(void) {
  pthread_t server, clients[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_create(&server, NULL, serve, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&clients[i], NULL, ask, NULL);
#ifdef SHUT_EARLY
  pthread_join(clients[0], NULL);
  shutdown(ends[0], SHUT_WR);
  pthread_join(clients[1], NULL);
#else
  for (int i = 0; i < 2; ++i) pthread_join(clients[i], NULL);
  shutdown(ends[0], SHUT_WR);
#endif
  pthread_join(server, NULL);
  for (int i = 0; i < 2; ++i) close(ends[i]);
  return 0;
}
