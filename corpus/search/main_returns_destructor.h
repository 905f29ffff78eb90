// A log that a detached thread writes to, and that is destroyed at the end of the process.
#include <pthread.h>

#include <cassert>

class Log {
 public:
  ~Log() {
    pthread_mutex_lock(&lock_);
    open_ = false;
    pthread_mutex_unlock(&lock_);
  }
  void write() {
    pthread_mutex_lock(&lock_);
    assert(open_);
    ++lines_;
    pthread_cond_signal(&written_);
    pthread_mutex_unlock(&lock_);
  }
  void wait_for(int lines) {
    pthread_mutex_lock(&lock_);
    while (lines_ < lines) pthread_cond_wait(&written_, &lock_);
    pthread_mutex_unlock(&lock_);
  }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t written_ = PTHREAD_COND_INITIALIZER;
  int lines_ = 0;
  bool open_ = true;
};

inline Log journal;

inline void* write_twice(void*) {
  journal.write();
  journal.write();
  return nullptr;
}

inline void start() {
  pthread_t thread;
  pthread_create(&thread, nullptr, write_twice, nullptr);
  pthread_detach(thread);
}
