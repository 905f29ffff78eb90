// A detached thread uses a static object that is destroyed when main returns.
// heddle: run
// expect: bug misuse at bound 1
// twin: static_joined.cpp
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
  std::thread([] { event_log.write(); }).detach();
}
