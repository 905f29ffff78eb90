// The queue of Michael and Scott (PODC 1996) without reuse of nodes: a list with a node in front that is never an item.
// Who enqueues links its node behind the last one, then moves the tail on; who finds the tail behind helps.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

enum class QueueBug {
  None,
  LinkStores,   // the node is linked by a store after a look, not by one compare-exchange
  TailForgets,  // the head moves on past a tail that nobody has helped on
};

template <QueueBug kBug>
class Queue {
 public:
  struct Node {
    int item = 0;
    std::atomic<Node*> next{nullptr};
  };

  void enqueue(Node* node) {
    for (;;) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next);
      } else if (link(last, node)) {
        tail_.compare_exchange_strong(last, node);
        return;
      }
    }
  }

  bool dequeue(int& item) {
    for (;;) {
      Node* first = head_.load();
      Node* last = tail_.load();
      Node* next = first->next.load();
      if (first != head_.load()) continue;
      if (next == nullptr) return false;
      if (kBug != QueueBug::TailForgets && first == last) {
        tail_.compare_exchange_strong(last, next);
        continue;
      }
      if (head_.compare_exchange_strong(first, next)) {
        assert(tail_.load() != first);  // it could be freed now; whoever enqueues must not come to it
        item = next->item;
        return true;
      }
    }
  }

 private:
  static bool link(Node* last, Node* node) {
    if constexpr (kBug == QueueBug::LinkStores) {
      last->next.store(node);
      return true;
    }
    Node* none = nullptr;
    return last->next.compare_exchange_strong(none, node);
  }

  Node first_;
  std::atomic<Node*> head_{&first_};
  std::atomic<Node*> tail_{&first_};
};

// Each thread puts something in and takes out what it finds, twice at most; in the end all has come out, once.
template <QueueBug kBug>
int enqueue_and_dequeue() {
  static constexpr int kThreads = 2;
  static Queue<kBug> queue;
  static typename Queue<kBug>::Node nodes[kThreads];
  static std::atomic<int> taken[kThreads];
  auto take = [] {
    int item = 0;
    const bool found = queue.dequeue(item);
    if (found) taken[item].fetch_add(1, std::memory_order_relaxed);
    return found;
  };
  auto work = [&take](int self) {
    nodes[self].item = self;
    queue.enqueue(&nodes[self]);
    if (take()) take();
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  while (take()) {
  }
  for (const std::atomic<int>& times : taken) assert(times == 1);
  return 0;
}
