// The queue of Michael and Scott without the help that dequeue gives: the head overtakes the tail, and what is enqueued
// then hangs on a node that has been taken out.
// heddle: run
// expect: bug assertion at bound 2
// says: tail_.load() != first
// twin: atomics/michael_scott.cpp
// build: heddle-cc
#include "atomics/michael_scott.h"

int main() { return enqueue_and_dequeue<QueueBug::TailForgets>(); }
