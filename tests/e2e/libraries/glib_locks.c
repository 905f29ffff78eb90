// Two GLib mutexes, locked in one order by one thread and, with -DBUG, in the other by the other.
#include <glib.h>

static GMutex left, right;
static int moved;

static gpointer to_the_right(gpointer unused) {
  g_mutex_lock(&left);
  g_mutex_lock(&right);
  ++moved;
  g_mutex_unlock(&right);
  g_mutex_unlock(&left);
  return unused;
}

static gpointer to_the_left(gpointer unused) {
#ifdef BUG
  g_mutex_lock(&right);
  g_mutex_lock(&left);
#else
  g_mutex_lock(&left);
  g_mutex_lock(&right);
#endif
  ++moved;
  g_mutex_unlock(&left);
  g_mutex_unlock(&right);
  return unused;
}

int main(void) {
  GThread* one = g_thread_new("one", to_the_right, NULL);
  GThread* two = g_thread_new("two", to_the_left, NULL);
  g_thread_join(one);
  g_thread_join(two);
  return moved == 2 ? 0 : 1;
}
