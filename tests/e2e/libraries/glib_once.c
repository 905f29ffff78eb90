// An initializer that g_once() runs, and what it made, read by whoever comes behind it. TOO_EARLY: by who does not.
#include <glib.h>

static GOnce once = G_ONCE_INIT, within = G_ONCE_INIT;
static int made, base;

static gpointer make_base(gpointer unused) {
  base = 40;
  return unused;
}

static gpointer make(gpointer unused) {
  g_once(&within, make_base, NULL);
  made = base + 2;
  return unused;
}

static gpointer work(gpointer unused) {
#ifndef TOO_EARLY
  g_once(&once, make, NULL);
#endif
  return made == 42 ? &made : unused;
}

int main(void) {
  GThread* thread = g_thread_new("worker", work, NULL);
  g_once(&once, make, NULL);
  const gpointer here = work(NULL);
  g_thread_join(thread);
  return here != NULL ? 0 : 1;
}
