// RChannelReader of Dryad, mended: a worker notifies the application when it is done with the channel.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: dryad_channel.cpp
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
  // Waits until the application was told about every item, after which no worker touches the channel.
  void close() {
    for (int i = 0; i < kItems; ++i) sem_wait(&notified_);
  }

 private:
  static constexpr int kItems = 2;

  void alert_application() {
    base_lock_.lock();
    ++processed_;
    base_lock_.unlock();
    sem_post(&notified_);  // the last thing a worker does with the channel
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
