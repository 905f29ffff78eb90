// Treiber's stack (Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986): a list whose head is exchanged by
// compare-exchange. Each thread pushes its own node and pops one. All operations are sequentially consistent; a
// compare-exchange that fails gives the value it found, and the loop goes on with that, without another load. For the
// numbers of schedules one that fails is a read.
#pragma once

#include <atomic>
#include <cstdlib>
#include <thread>

struct Node {
  Node* next;
};

inline std::atomic<Node*> head;
inline Node nodes[8];
inline std::atomic<int> popped_nothing;

inline void push(Node* node) {
  Node* old = head.load();
  do {
    node->next = old;
  } while (!head.compare_exchange_strong(old, node));
}

inline Node* pop() {
  Node* old = head.load();
  while (old != nullptr && !head.compare_exchange_strong(old, old->next)) {
  }
  return old;
}

template <int kTasks>
int push_and_pop() {
  std::thread threads[kTasks];
  for (int i = 0; i < kTasks; ++i)
    threads[i] = std::thread([i] {
      push(&nodes[i]);
      if (pop() == nullptr) std::abort();  // each has pushed before it pops
    });
  for (std::thread& thread : threads) thread.join();
  return head.load() == nullptr ? 0 : 1;
}
