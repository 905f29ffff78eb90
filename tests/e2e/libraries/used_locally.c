// The library that loads_locally.c loads.
#include <glib.h>

int use(void) {
  static GMutex mutex;
  static int count;
  g_mutex_lock(&mutex);
  const int now = ++count;
  g_mutex_unlock(&mutex);
  return now;
}
