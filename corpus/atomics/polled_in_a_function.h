// A consumer that asks functions for a value until there is one. They are compiled as if nothing were optimized: their
// frames have places that they don't write to, and what earlier calls left there must not decide how often Heddle lets
// the loop go round.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cassert>

#define NOT_OPTIMIZED __attribute__((optnone, noinline))
#define NOT_WRITTEN(place) __asm__ volatile("" : : "r"(place))

struct Message {
  std::atomic<int> value{0};
};

static std::atomic<Message*> slot{nullptr};
static std::atomic<int> sent{0};
static Message message;

void send();

NOT_OPTIMIZED static bool is_sent() {
  char unused[24];
  NOT_WRITTEN(unused);
  return sent.load() == 1;
}

NOT_OPTIMIZED static bool take(int& value) {
  char unused[200];
  NOT_WRITTEN(unused);
  Message* const found = slot.load(std::memory_order_acquire);
  if (found == nullptr) return false;
  value = found->value.load(std::memory_order_relaxed);
  return true;
}

static void* run_sender(void* unused) {
  send();
  return unused;
}

int main() {
  pthread_t sender;
  pthread_create(&sender, nullptr, run_sender, nullptr);
  int value = 0;
  while (!take(value)) sched_yield();
  assert(value == 7);
  while (!is_sent() || !take(value)) {
  }
  pthread_join(sender, nullptr);
  return 0;
}
