// A thread that uses a static object is joined before main returns.
// heddle: run
// expect: clean complete
// twin: detached_static.cpp
#include <pthread.h>

#include <thread>

class Log {
 public:
  ~Log() { pthread_mutex_destroy(&mutex_); }
  void write() {
    pthread_mutex_lock(&mutex_);
    ++lines_;
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  int lines_ = 0;
};

static Log event_log;

int main() {
  std::thread thread([] { event_log.write(); });
  thread.join();
}
