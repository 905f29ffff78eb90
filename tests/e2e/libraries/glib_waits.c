// Two threads poll a value under a recursive lock of GLib, and never yield. With -DBUG one of them does not like what
// it sees.
#include <glib.h>

static GRecMutex lock;
static int value = -1;

static gboolean is_open(void) {
  g_rec_mutex_lock(&lock);
  const gboolean open = value != 1;
#ifdef BUG
  if (value == -1) g_assert_not_reached();
#endif
  if (value == 0) ++value;
  g_rec_mutex_unlock(&lock);
  return open;
}

static gpointer wait(gpointer nothing) {
  while (is_open()) continue;
  return nothing;
}

int main(void) {
  GThread* thread = g_thread_new("waits", wait, NULL);
  g_rec_mutex_lock(&lock);
  value = 0;
  g_rec_mutex_unlock(&lock);
  wait(NULL);
  g_thread_join(thread);
  return 0;
}
