// Messages are posted to a port in sets, and gathered from it in sets.
// Bug 1: two posters, and receivers of two messages each. The port asks whether there are enough messages in one
// critical section, and takes them in another; a receiver gets too few (assertion).
// Bug 2: one poster and one gatherer with a queue that has a lock for each end. An item is counted before it is in the
// queue; who takes it finds none (assertion).
// Shape of GAMBIT's tests GatherPost1 and GatherPost2 of the Concurrency and Coordination Runtime.
// build: plain
#ifndef BUG
#define BUG 0
#endif
#if BUG == 1 && !defined FIXED
#define PORT_SPLIT_MATCH
#endif
#include <cassert>

#include "ports.h"

[[maybe_unused]] static void post_and_receive() {
  Dispatcher dispatcher(2);
  Port port(dispatcher);
  std::mutex lock;
  int sum = 0, calls = 0;
  const auto receiver = [&](const Port::Messages& messages) {
    assert(messages.size() == 2);
    const std::lock_guard guard(lock);
    sum += messages[0] + messages[1];
    if (++calls == 4) assert(sum == 36);
  };
  const auto post = [&](int first) {
    for (int i = 0; i < 4; ++i) port.post(first + i);
  };
  for (int i = 0; i < 4; ++i) port.receive(2, receiver);
  std::thread posters[] = {std::thread(post, 1), std::thread(post, 5)};
  for (std::thread& poster : posters) poster.join();
}

class Queue {
 public:
  ~Queue() {
    while (first_ != nullptr) {
      const Node* next = first_->next;
      delete first_;
      first_ = next;
    }
  }

  void enqueue(int item) {
#if BUG == 2 && !defined FIXED
    add(1);
    link(item);
#else
    link(item);
    add(1);
#endif
  }

  // Takes an item if there is one. The count says whether there is, and one that is taken from it is claimed.
  bool try_dequeue(int& item) {
    if (!claim()) return false;
    const std::lock_guard guard(first_lock_);
    const Node* next = first_->next;
    assert(next != nullptr);
    delete first_;
    first_ = next;
    item = next->item;
    return true;
  }

 private:
  struct Node {
    int item;
    Node* next;
  };

  void link(int item) {
    Node* node = new Node{item, nullptr};
    const std::lock_guard guard(last_lock_);
    last_->next = node;
    last_ = node;
  }

  void add(int change) {
    const std::lock_guard guard(count_lock_);
    count_ += change;
  }

  bool claim() {
    const std::lock_guard guard(count_lock_);
    if (count_ == 0) return false;
    --count_;
    return true;
  }

  std::mutex first_lock_, last_lock_, count_lock_;
  Node* last_ = new Node{0, nullptr};
  const Node* first_ = last_;
  int count_ = 0;
};

[[maybe_unused]] static void post_and_gather() {
  const int count = 9;
  Queue queue;
  std::thread poster([&] {
    for (int i = 1; i <= count; ++i) queue.enqueue(i);
  });
  std::thread gatherer([&] {
    for (int i = 1, item = 0; i <= count; ++i) {
      while (!queue.try_dequeue(item)) std::this_thread::yield();
      assert(item == i);
    }
  });
  poster.join();
  gatherer.join();
}

int main() {
#if BUG != 2
  post_and_receive();
#endif
#if BUG != 1
  post_and_gather();
#endif
}
