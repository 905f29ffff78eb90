// LiteEvent of PLINQ (CHESS, OSDI 2008, Figure 2): an event made for one waiter is used by two. Wait and Dispose race:
// the first waiter deletes the kernel event while the second is on its way into it.
// heddle: run
// expect: bug assertion at bound 1
// says: is_open
// twin: lite_event_fixed.cpp
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
  void wait() {
    if (signalled_) return;
    allocate();
    kernel.wait(kernel_event_);  // the bug: the event may be closed before this waiter is in it
  }
  void dispose() {
    pthread_mutex_lock(&lock_);
    if (kernel_event_ != 0) {
      kernel.set(kernel_event_);  // who is in it is let go
      kernel.close(kernel_event_);
    }
    kernel_event_ = 0;
    pthread_mutex_unlock(&lock_);
  }

 private:
  void allocate() {
    pthread_mutex_lock(&lock_);
    if (kernel_event_ == 0) kernel_event_ = kernel.open();
    if (signalled_) kernel.set(kernel_event_);
    pthread_mutex_unlock(&lock_);
  }

  std::atomic<bool> signalled_{false};
  int kernel_event_ = 0;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

int main() {
  LiteEvent event;
  std::thread first([&] {
    event.wait();
    event.dispose();
  });
  std::thread second([&] { event.wait(); });
  std::thread setter([&] { event.set(); });
  first.join();
  second.join();
  setter.join();
}
