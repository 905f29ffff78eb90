// Two threads take what is in a queue, one thing for both: who looks first and takes then may wait for ever (-DBUG).
#include <glib.h>

static GAsyncQueue* queue;

static gpointer take(gpointer unused) {
#ifdef BUG
  if (g_async_queue_length(queue) > 0) g_async_queue_pop(queue);
#else
  g_async_queue_try_pop(queue);
#endif
  return unused;
}

int main(void) {
  queue = g_async_queue_new();
  g_async_queue_push(queue, queue);
  GThread* one = g_thread_new("one", take, NULL);
  GThread* two = g_thread_new("two", take, NULL);
  g_thread_join(one);
  g_thread_join(two);
  return 0;
}
