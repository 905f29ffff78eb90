// What a container for several threads has to keep: what was put in comes out, once (conservation); what one thread has
// put into a queue comes out in its order; and a container is empty only when nothing is in it. The tests are written
// as a user would, and the libraries are as installed.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

enum class Order { Queue, Stack };

// What a thread does before and after it uses the container.
struct Attachment {
  void (*begin)() = [] {};
  void (*end)() = [] {};
};

// Two threads put two items each, then take as many. So whoever takes finds something: no more than two have been taken
// by the other, and the other has put two before.
template <class Put, class Take>
void put_and_take(Order order, Put put, Take take, Attachment attachment = {}) {
  constexpr int kThreads = 2, kItems = 2;
  std::array<std::vector<int>, kThreads> taken;  // an item: ten times the thread, and its number
  auto work = [&](int self) {
    for (int number = 0; number < kItems; ++number) put(10 * self + number);
    for (int number = 0; number < kItems; ++number) {
      int item = -1;
      require(take(item), "not empty, when more were put than taken");
      taken[self].push_back(item);
    }
  };
  std::thread other([&] {
    attachment.begin();
    work(1);
    attachment.end();
  });
  work(0);
  other.join();
  int item = -1;
  require(!take(item), "empty, when as many were taken as put");
  int times[kThreads][kItems] = {};
  for (const auto& by : taken)
    for (const int one : by) ++times[one / 10][one % 10];
  for (const auto& of_one : times)
    for (const int count : of_one) require(count == 1, "each item is taken once");
  if (order == Order::Stack) return;
  for (const auto& by : taken) require(by[0] / 10 != by[1] / 10 || by[0] < by[1], "the order of one thread's items");
}

// One thread hands values over to another; `put` and `take` say whether they could. A thread that can't yields.
template <class Put, class Take>
void hand_over(Put put, Take take) {
  constexpr int kValues = 3;
  static int values[kValues];
  std::thread taker([&] {
    for (int i = 0; i < kValues; ++i) {
      int* value = nullptr;
      while (!take(value)) std::this_thread::yield();
      require(value == &values[i], "the order in which they were put");
      require(*value == i + 1, "what was written before it was put is seen");
    }
  });
  for (int i = 0; i < kValues; ++i) {
    values[i] = i + 1;
    while (!put(&values[i])) std::this_thread::yield();
  }
  taker.join();
}
