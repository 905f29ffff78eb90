// LiteEvent of PLINQ made fit for several waiters: they are counted, and the kernel event goes with the last of them.
// heddle: run
// expect: clean bound 1
// twin: lite_event.cpp
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <thread>

// Stands for the kernel: manual-reset events behind handles. Who waits keeps the event alive, who comes later must not.
class Kernel {
 public:
  int open() {
    pthread_mutex_lock(&mutex_);
    const int handle = ++count_;
    events_[handle].is_open = true;
    pthread_mutex_unlock(&mutex_);
    return handle;
  }
  void close(int handle) {
    pthread_mutex_lock(&mutex_);
    events_[handle].is_open = false;
    pthread_mutex_unlock(&mutex_);
  }
  void set(int handle) {
    pthread_mutex_lock(&mutex_);
    events_[handle].signalled = true;
    pthread_cond_broadcast(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  void wait(int handle) {
    pthread_mutex_lock(&mutex_);
    assert(events_[handle].is_open);
    while (!events_[handle].signalled) pthread_cond_wait(&changed_, &mutex_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  struct Event {
    bool is_open = false;
    bool signalled = false;
  };
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  Event events_[8];
  int count_ = 0;
};

static Kernel kernel;

class LiteEvent {
 public:
  void set() {
    signalled_ = true;
    pthread_mutex_lock(&lock_);
    if (kernel_event_ != 0) kernel.set(kernel_event_);
    pthread_mutex_unlock(&lock_);
  }
  void wait_and_dispose() {
    if (signalled_) return;
    kernel.wait(enter());
    leave();
  }

 private:
  int enter() {
    pthread_mutex_lock(&lock_);
    ++waiters_;
    if (kernel_event_ == 0) kernel_event_ = kernel.open();
    if (signalled_) kernel.set(kernel_event_);
    const int event = kernel_event_;
    pthread_mutex_unlock(&lock_);
    return event;
  }
  void leave() {
    pthread_mutex_lock(&lock_);
    if (--waiters_ == 0) {
      kernel.close(kernel_event_);
      kernel_event_ = 0;
    }
    pthread_mutex_unlock(&lock_);
  }

  std::atomic<bool> signalled_{false};
  int waiters_ = 0;
  int kernel_event_ = 0;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

int main() {
  LiteEvent event;
  std::thread first([&] { event.wait_and_dispose(); });
  std::thread second([&] { event.wait_and_dispose(); });
  std::thread setter([&] { event.set(); });
  first.join();
  second.join();
  setter.join();
}
