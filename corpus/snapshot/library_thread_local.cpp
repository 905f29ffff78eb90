// A library's thread_local with constructor and destructor: one for each thread, and destroyed with it.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// library: snapshot/library/thread_objects.cpp
#include <cassert>
#include <mutex>
#include <thread>

#include "snapshot/library/thread_objects.h"

static std::mutex mutex;
static int threads_done;

static void work() {
  assert(use_thread_object() == 1);
  { const std::lock_guard guard(mutex); }
  assert(use_thread_object() == 2);
  const std::lock_guard guard(mutex);
  ++threads_done;
}

int main() {
  assert(use_thread_object() == 1);
  std::thread one(work), other(work);
  one.join();
  other.join();
  assert(threads_done == 2);
  assert(use_thread_object() == 2);
  assert(thread_objects_made() == 3 && thread_objects_destroyed() == 2);
  std::thread(work).join();
  assert(thread_objects_made() == 4 && thread_objects_destroyed() == 3);
}
