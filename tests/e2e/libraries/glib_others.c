// The other locks of GLib, each around a variable of its own.
#include <glib.h>

static GRecMutex again;
static GRWLock shared;
static GMutex mutex;
static GCond changed;
static gint bits;
static gsize once;
static int by_again, by_shared, by_bits, made, turn, tried;

static gpointer work(gpointer unused) {
  g_rec_mutex_lock(&again);
  g_rec_mutex_lock(&again);
  ++by_again;
  g_rec_mutex_unlock(&again);
  g_rec_mutex_unlock(&again);
  g_rw_lock_writer_lock(&shared);
  ++by_shared;
  g_rw_lock_writer_unlock(&shared);
  g_bit_lock(&bits, 3);
  ++by_bits;
  g_bit_unlock(&bits, 3);
  if (g_once_init_enter(&once)) {
    ++made;
    g_once_init_leave(&once, 1);
  }
  if (g_mutex_trylock(&mutex)) {
    ++tried;
    g_mutex_unlock(&mutex);
  }
  g_mutex_lock(&mutex);
  ++turn;
  g_cond_signal(&changed);
  g_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  GThread* thread = g_thread_new("worker", work, NULL);
  g_mutex_lock(&mutex);
  while (turn == 0) g_cond_wait(&changed, &mutex);
  const int seen = tried;
  g_mutex_unlock(&mutex);
  work(NULL);
  g_rw_lock_reader_lock(&shared);
  const int written = by_shared;
  g_rw_lock_reader_unlock(&shared);
  g_thread_join(thread);
  return written == 2 && by_again == 2 && by_bits == 2 && made == 1 && turn == 2 && seen <= 1 ? 0 : 1;
}
