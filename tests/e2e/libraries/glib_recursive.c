// A recursive mutex of GLib, whose functions end in a jump to those of libpthread. What is checked in two sections may
// change in between.
#include <assert.h>
#include <glib.h>

static GRecMutex mutex;
static int value;

static gpointer add(gpointer unused) {
  g_rec_mutex_lock(&mutex);
  ++value;
  g_rec_mutex_unlock(&mutex);
  return unused;
}

static int look(void) {
  g_rec_mutex_lock(&mutex);
  const int seen = value;
  g_rec_mutex_unlock(&mutex);
  return seen;
}

int main(void) {
  GThread* thread = g_thread_new("adds", add, NULL);
  const int before = look();
  assert(look() == before);
  g_thread_join(thread);
  return 0;
}
