// The message is published before it is filled in.
// build: heddle-cc clang
// heddle: run
// expect: bug assertion at bound 1
// twin: atomics/polled_in_a_function.cpp
#include "atomics/polled_in_a_function.h"

void send() {
  slot.store(&message, std::memory_order_release);
  message.value.store(7, std::memory_order_relaxed);
  sent.store(1);
}
