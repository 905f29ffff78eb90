// A destructor of a thread_local object uses a lock that main destroyed when the thread said that it was done.
// heddle: run
// expect: bug misuse at bound 1
// twin: thread_local_order.cpp
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
  pthread_mutex_destroy(&mutex);
  thread.join();
  return 0;
}
