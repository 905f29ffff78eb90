// Treiber's stack with nodes that come back: the owner of a popped node pushes it again. A thread that has read the
// head and what comes behind it, and compares the head only, can't tell a node that has been away in the meantime from
// one that has stayed (the ABA problem). The twin counts changes of the head, as the IBM System/370 manual advised.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

constexpr std::uint32_t kNone = ~0U;

// What the head is made of: the first node and, in the twin, how often it has been changed.
struct Head {
  std::uint32_t node;
  std::uint32_t changes;
};

template <bool kCountChanges>
class Stack {
 public:
  static constexpr int kNodes = 2;

  void push(std::uint32_t node) {
    Head old = head_.load();
    do {
      next_[node].store(old.node, std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(old, changed(old, node)));
  }

  std::uint32_t pop() {
    Head old = head_.load();
    while (old.node != kNone) {
      const std::uint32_t next = next_[old.node].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(old, changed(old, next))) break;
    }
    return old.node;
  }

 private:
  static Head changed(Head old, std::uint32_t node) { return {node, kCountChanges ? old.changes + 1 : 0}; }

  std::atomic<Head> head_{Head{kNone, 0}};
  std::atomic<std::uint32_t> next_[kNodes] = {};
};

// One thread takes a node. The other takes both and gives the first one back: the second is its own from then on.
template <bool kCountChanges>
int take_and_give_back() {
  using Nodes = Stack<kCountChanges>;
  Nodes stack;
  for (std::uint32_t node = 0; node < Nodes::kNodes; ++node) stack.push(node);
  int held[Nodes::kNodes] = {};
  std::uint32_t taken = kNone, kept = kNone;
  std::thread taker([&] { taken = stack.pop(); });
  std::thread keeper([&] {
    const std::uint32_t first = stack.pop();
    kept = stack.pop();
    if (first != kNone) stack.push(first);
  });
  taker.join();
  keeper.join();
  if (taken != kNone) ++held[taken];
  if (kept != kNone) ++held[kept];
  for (std::uint32_t node = stack.pop(); node != kNone; node = stack.pop()) ++held[node];
  for (const int holders : held) assert(holders == 1);
  return 0;
}
