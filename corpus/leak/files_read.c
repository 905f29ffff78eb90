// Files that are only read, and closed or not, by descriptors from before and of the test's own: each execution finds
// positions, numbers and files as they were. No reason to leave snapshots.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { BYTES = 16 };
static const char file[] = "/proc/self/exe";
static int early, same, unread, next;  // `same` shares its position with `early`
// localtime_r() opens a file for a moment, and would take a number that the other thread counts on.
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER;

static void read_from(int descriptor, long position) {
  char bytes[BYTES];
  assert(lseek(descriptor, 0, SEEK_CUR) == position);
  assert(read(descriptor, bytes, BYTES) == BYTES);
  point();
  assert(lseek(descriptor, 0, SEEK_CUR) == position + BYTES);
}

static void* read_files(void* unused) {
  read_from(early, BYTES);
  read_from(same, 2 * BYTES);
  pthread_mutex_lock(&numbers);
  const int own = open(file, O_RDONLY | O_CLOEXEC);
  assert(own == next);
  read_from(own, 0);
  const char* const shared = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, own, 0);
  assert(shared != MAP_FAILED && shared[1] == 'E');
  assert(close(own) == 0);
  pthread_mutex_unlock(&numbers);
  point();
  pthread_mutex_lock(&numbers);
  assert(close(early) == 0);
  assert(open("/proc/self/no such file", O_RDONLY) == -1);
  assert(open(file, O_RDONLY) == early && open("/dev/null", O_WRONLY) == next);  // and these stay open
  pthread_mutex_unlock(&numbers);
  read_from(early, 0);
  lseek(unread, 100, SEEK_SET);
  read_from(unread, 100);
  return unused;
}

static void* tell_time(void* unused) {
  const time_t now = time(NULL);
  struct tm local;
  point();
  pthread_mutex_lock(&numbers);
  assert(localtime_r(&now, &local) == &local);
  pthread_mutex_unlock(&numbers);
  point();
  return unused;
}

int main(void) {
  char bytes[BYTES];
  early = open(file, O_RDONLY);
  same = dup(early);
  unread = open(file, O_RDONLY | O_CLOEXEC);
  assert(read(early, bytes, BYTES) == BYTES);
  next = open(file, O_RDONLY);
  close(next);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, read_files, NULL);
  pthread_create(&threads[1], NULL, tell_time, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(fcntl(unread, F_GETFD) == FD_CLOEXEC);
  return 0;
}
