// thread_local objects are destroyed by their thread at its end, the last one first, before join returns.
// heddle: run
// expect: clean complete
// twin: thread_local_too_late.cpp
#include <pthread.h>

#include <cassert>
#include <semaphore>
#include <thread>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static std::counting_semaphore<8> done(0);
static int order[2];
static int count;

struct Recorder {
  explicit Recorder(int id) : id(id) {}
  ~Recorder() {
    pthread_mutex_lock(&mutex);
    order[count++] = id;
    pthread_mutex_unlock(&mutex);
  }
  int id;
};

static void work() {
  static thread_local Recorder first(1);
  static thread_local Recorder second(2);
  assert(first.id + second.id == 3);
  done.release();
}

int main() {
  std::thread thread(work);
  done.acquire();
  thread.join();
  assert(count == 2 && order[0] == 2 && order[1] == 1);
  pthread_mutex_destroy(&mutex);
  return 0;
}
