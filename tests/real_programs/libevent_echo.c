// An echo server on libevent in one thread, its client in another, over a loopback connection.
#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <event2/thread.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct event_base* base;
static struct sockaddr_in address;

static void on_read(struct bufferevent* connection, void* unused) {
  (void)unused;
  bufferevent_write_buffer(connection, bufferevent_get_input(connection));
}

static void on_event(struct bufferevent* connection, short what, void* unused) {
  (void)unused;
  if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) {
    bufferevent_free(connection);
    event_base_loopexit(base, NULL);
  }
}

static void on_accept(struct evconnlistener* listener, evutil_socket_t descriptor, struct sockaddr* from, int size,
                      void* unused) {
  (void)listener, (void)from, (void)size, (void)unused;
  struct bufferevent* connection = bufferevent_socket_new(base, descriptor, BEV_OPT_CLOSE_ON_FREE);
  bufferevent_setcb(connection, on_read, NULL, on_event, NULL);
  bufferevent_enable(connection, EV_READ | EV_WRITE);
}

static void* client(void* unused) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) abort();
  for (int i = 0; i < 3; ++i) {
    char sent[32], back[32] = {0};
    snprintf(sent, sizeof sent, "message %d", i);
    const size_t length = strlen(sent);
    if (send(connection, sent, length, 0) != (ssize_t)length) abort();
    if (recv(connection, back, length, MSG_WAITALL) != (ssize_t)length || strcmp(sent, back) != 0) abort();
    printf("echoed: %s\n", back);
  }
  close(connection);
  return unused;
}

int main(void) {
  pthread_t thread;
  socklen_t size = sizeof address;
  evthread_use_pthreads();
  base = event_base_new();
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct evconnlistener* listener = evconnlistener_new_bind(base, on_accept, NULL, LEV_OPT_CLOSE_ON_FREE, 5,
                                                            (struct sockaddr*)&address, sizeof address);
  if (listener == NULL) return 1;
  getsockname(evconnlistener_get_fd(listener), (struct sockaddr*)&address, &size);
  pthread_create(&thread, NULL, client, NULL);
  event_base_dispatch(base);
  pthread_join(thread, NULL);
  evconnlistener_free(listener);
  event_base_free(base);
  return 0;
}
