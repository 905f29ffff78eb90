// A user's tests of a small service, for mysvc_test.py. Most have a bug; the comment above each says which.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "pool.h"
using namespace std::chrono_literals;

TEST(Pool, RunsAllTasks) {
  std::atomic<int> done{0};
  {
    Pool p(2);
    p.Submit([&] { ++done; });
    p.Submit([&] { ++done; });
  }
  EXPECT_EQ(done, 2);
}

// plain race
struct Account {
  long balance = 100;
};
static void Transfer(Account& from, Account& to, long n) {
  if (from.balance >= n) {
    from.balance -= n;
    to.balance += n;
  }
}
TEST(Bank, TransferKeepsSum) {
  Account a, b;
  std::thread t1([&] { Transfer(a, b, 30); });
  std::thread t2([&] { Transfer(b, a, 20); });
  t1.join();
  t2.join();
  EXPECT_EQ(a.balance + b.balance, 200);
}

// lock order
struct LockedAccount {
  std::mutex m;
  long balance = 100;
};
static void LockedTransfer(LockedAccount& from, LockedAccount& to, long n) {
  std::lock_guard<std::mutex> l1(from.m);
  std::lock_guard<std::mutex> l2(to.m);
  from.balance -= n;
  to.balance += n;
}
TEST(Bank, LockedTransfer) {
  LockedAccount a, b;
  std::thread t1([&] { LockedTransfer(a, b, 30); });
  std::thread t2([&] { LockedTransfer(b, a, 20); });
  t1.join();
  t2.join();
  EXPECT_EQ(a.balance + b.balance, 200);
}

// use after free on shutdown
struct Logger {
  std::mutex m;
  std::vector<std::string> lines;
  void Log(const std::string& s) {
    std::lock_guard<std::mutex> l(m);
    lines.push_back(s);
  }
};
struct Service {
  std::unique_ptr<Logger> log = std::make_unique<Logger>();
  std::atomic<bool> running{true};
  std::thread bg;
  void Start() {
    bg = std::thread([this] {
      while (running) {
        log->Log("tick");
        std::this_thread::sleep_for(10ms);
      }
    });
  }
  void Stop() {
    running = false;
    log.reset();  // should be after the join
    bg.join();
  }
};
TEST(Service, StopsCleanly) {
  Service s;
  s.Start();
  std::this_thread::sleep_for(5ms);
  s.Stop();
  EXPECT_FALSE(s.running);
}

// double-checked init
struct Config {
  int value = 0;
  std::string name;
};
static Config* g_config = nullptr;
static std::mutex g_config_mutex;
static Config* GetConfig() {
  if (!g_config) {
    std::lock_guard<std::mutex> l(g_config_mutex);
    if (!g_config) {
      g_config = new Config;
      g_config->value = 42;
      g_config->name = "production configuration";
    }
  }
  return g_config;
}
TEST(Config, InitOnce) {
  int v1 = 0, v2 = 0;
  std::thread t1([&] { v1 = GetConfig()->value; });
  std::thread t2([&] { v2 = GetConfig()->value; });
  t1.join();
  t2.join();
  EXPECT_EQ(v1, 42);
  EXPECT_EQ(v2, 42);
}

// correct one: bounded queue
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t n) : n_(n) {}
  void Push(T t) {
    std::unique_lock<std::mutex> l(m_);
    not_full_.wait(l, [&] { return q_.size() < n_; });
    q_.push_back(std::move(t));
    not_empty_.notify_one();
  }
  T Pop() {
    std::unique_lock<std::mutex> l(m_);
    not_empty_.wait(l, [&] { return !q_.empty(); });
    T t = std::move(q_.front());
    q_.pop_front();
    not_full_.notify_one();
    return t;
  }

 private:
  size_t n_;
  std::mutex m_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> q_;
};
TEST(Queue, Fifo) {
  BoundedQueue<int> q(1);
  std::thread p([&] {
    for (int i = 0; i < 3; ++i) q.Push(i);
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(q.Pop(), i);
  p.join();
}

// watchdog with timed wait
class Watchdog {
 public:
  Watchdog()
      : t_([this] {
          std::unique_lock<std::mutex> l(m_);
          if (!cv_.wait_for(l, 5s, [this] { return kicked_; })) expired_ = true;
        }) {}
  void Kick() {
    std::lock_guard<std::mutex> l(m_);
    kicked_ = true;
    cv_.notify_one();
  }
  bool Join() {
    t_.join();
    return expired_;
  }

 private:
  std::mutex m_;
  std::condition_variable cv_;
  bool kicked_ = false;
  bool expired_ = false;
  std::thread t_;
};
TEST(Watchdog, NotExpired) {
  Watchdog w;
  std::this_thread::sleep_for(100ms);
  w.Kick();
  EXPECT_FALSE(w.Join());
}

// std::async + future; broken promise when the worker is stopped before it takes the job
TEST(Async, SumInParallel) {
  std::vector<int> v(1000, 1);
  auto f = std::async(std::launch::async, [&] { return std::accumulate(v.begin(), v.begin() + 500, 0); });
  int b = std::accumulate(v.begin() + 500, v.end(), 0);
  EXPECT_EQ(f.get() + b, 1000);
}
TEST(Async, PromiseLives) {
  std::promise<int> p;
  auto f = p.get_future();
  std::thread t([&] { p.set_value(7); });
  EXPECT_EQ(f.wait_for(1s), std::future_status::ready);
  t.join();
}

// shared_mutex cache: check under read lock, insert under write lock without re-check: loads twice
class Cache {
 public:
  int Get(const std::string& k) {
    {
      std::shared_lock<std::shared_mutex> l(m_);
      auto it = map_.find(k);
      if (it != map_.end()) return it->second;
    }
    std::unique_lock<std::shared_mutex> l(m_);
    ++loads_;
    map_[k] = static_cast<int>(k.size());
    return map_[k];
  }
  int loads() const { return loads_; }

 private:
  std::shared_mutex m_;
  std::unordered_map<std::string, int> map_;
  int loads_ = 0;
};
TEST(Cache, LoadsOnce) {
  Cache c;
  std::thread t1([&] { c.Get("key"); });
  std::thread t2([&] { c.Get("key"); });
  t1.join();
  t2.join();
  EXPECT_EQ(c.loads(), 1);
}
TEST(Plain, NoThreads) { EXPECT_EQ(1 + 1, 2); }
