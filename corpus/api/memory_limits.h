// A program limits its memory, and gets no more of any kind than that.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMegabyte = 1 << 20, kMost = 256 };

static void* work(void* unused) { return unused; }

static void set_limit(int resource, rlim_t megabytes) {
  const struct rlimit limit = {megabytes * kMegabyte, 512 * (rlim_t)kMegabyte};
  struct rlimit told;
  assert(setrlimit(resource, &limit) == 0);
  assert(getrlimit(resource, &told) == 0 && told.rlim_cur == limit.rlim_cur && told.rlim_max == limit.rlim_max);
  assert(prlimit(0, resource, NULL, &told) == 0 && told.rlim_cur == limit.rlim_cur);
}

static void fill_heap(void) {
  static void* blocks[kMost + 1];
  int count = 0;
  while (count <= kMost && (blocks[count] = malloc(kMegabyte)) != NULL) ++count;
  assert(count < kMost && count > kMost / 2 && errno == ENOMEM);
  assert(calloc(kMost, kMegabyte) == NULL && realloc(blocks[0], (size_t)kMost * kMegabyte) == NULL);
  while (count > 0) free(blocks[--count]);
  assert((blocks[0] = malloc(kMost / 2 * kMegabyte)) != NULL);
  free(blocks[0]);
}

static void* map(int megabytes) {
  return mmap(NULL, (size_t)megabytes * kMegabyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void fill_mappings(void) {
  void* const half = map(kMost / 2);
  assert(half != MAP_FAILED);
  assert(map(kMost / 2) == MAP_FAILED && errno == ENOMEM);
  assert(malloc(kMost / 2 * kMegabyte) == NULL);
  munmap(half, kMost / 2 * kMegabyte);
  void* const again = map(kMost / 2);
  assert(again != MAP_FAILED);
  munmap(again, kMost / 2 * kMegabyte);
  assert(sbrk(kMost * kMegabyte) == (void*)-1);
}

static void use_all(int resource) {
  pthread_t thread;
  set_limit(resource, LIMIT);
  fill_heap();
  fill_mappings();
  assert(pthread_create(&thread, NULL, work, NULL) == 0);
  pthread_join(thread, NULL);
  set_limit(resource, 512);
}

static void use_in_child(void) {
  int status;
  set_limit(RLIMIT_AS, LIMIT);
  const pid_t child = fork();
  if (child == 0) {
    fill_heap();
    _exit(7);
  }
  waitpid(child, &status, 0);
  assert(WEXITSTATUS(status) == 7);
}

int main(void) {
  pthread_t thread;
  struct rlimit limit = {RLIM_INFINITY, 512 * (rlim_t)kMegabyte};
  if (LIMIT == kMost) use_in_child();  // before the first thread a failure is no verdict
  set_limit(RLIMIT_AS, 512);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  use_all(RLIMIT_AS);
  use_all(RLIMIT_DATA);
  assert(setrlimit(RLIMIT_AS, &limit) == -1 && errno == EINVAL);
  return 0;
}
