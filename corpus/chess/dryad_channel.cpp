// RChannelReader of Dryad (CHESS talk, slides 26 to 31). A worker tells the application about an item and then locks
// the channel once more; the main thread believes that close() waits for the workers and deletes the channel meanwhile.
// One preemption, after the notification; six more switches that cost nothing. (With a stop behind a release the same
// bug comes out as another misuse.)
// heddle: run --stops=0
// expect: bug misuse at bound 1
// says: destroyed
// twin: dryad_channel_fixed.cpp
#include <pthread.h>
#include <semaphore.h>

#include <deque>
#include <functional>
#include <thread>
#include <vector>

class Lock {
 public:
  ~Lock() { pthread_mutex_destroy(&mutex_); }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class WorkQueue {
 public:
  explicit WorkQueue(int workers) {
    sem_init(&filled_, 0, 0);
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  ~WorkQueue() {
    for (auto& worker : workers_) (void)worker, submit(nullptr);
    for (auto& worker : workers_) worker.join();
  }
  void submit(std::function<void()> item) {
    lock_.lock();
    items_.push_back(std::move(item));
    lock_.unlock();
    sem_post(&filled_);
  }

 private:
  void work() {
    for (;;) {
      sem_wait(&filled_);
      lock_.lock();
      const std::function<void()> item = std::move(items_.front());
      items_.pop_front();
      lock_.unlock();
      if (!item) return;
      item();
    }
  }

  Lock lock_;
  sem_t filled_;
  std::deque<std::function<void()>> items_;
  std::vector<std::thread> workers_;
};

class ChannelReader {
 public:
  explicit ChannelReader(WorkQueue& queue) {
    sem_init(&notified_, 0, 0);
    for (int i = 0; i < kItems; ++i) queue.submit([this] { alert_application(); });
  }
  // Waits until the application was told about every item; not until the workers have left.
  void close() {
    for (int i = 0; i < kItems; ++i) sem_wait(&notified_);
  }

 private:
  static constexpr int kItems = 2;

  void alert_application() {
    sem_post(&notified_);
    base_lock_.lock();  // the bug: the channel may be gone
    ++processed_;
    base_lock_.unlock();
  }

  Lock base_lock_;
  sem_t notified_;
  int processed_ = 0;
};

int main() {
  WorkQueue queue(2);
  auto* channel = new ChannelReader(queue);
  channel->close();
  delete channel;
}
