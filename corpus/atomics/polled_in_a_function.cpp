// The message is published when it is filled in.
// build: heddle-cc clang
// heddle: run
// expect: clean complete
// twin: atomics/polled_in_a_function_early.cpp
#include "atomics/polled_in_a_function.h"

void send() {
  message.value.store(7, std::memory_order_relaxed);
  slot.store(&message, std::memory_order_release);
  sent.store(1);
}
