// A loop that unlocks a GMutex and locks it again at once, until another thread has said under it that it is done. With
// -DBUG that thread says nothing.
#include <glib.h>

static GMutex mutex;
static gboolean done;

static gpointer work(gpointer unused) {
  g_mutex_lock(&mutex);
#ifndef BUG
  done = TRUE;
#endif
  g_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  GThread* worker = g_thread_new("worker", work, NULL);
  g_mutex_lock(&mutex);
  while (!done) {
    g_mutex_unlock(&mutex);
    g_mutex_lock(&mutex);
  }
  g_mutex_unlock(&mutex);
  g_thread_join(worker);
  return 0;
}
