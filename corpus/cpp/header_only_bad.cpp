// A library that is all headers, as Boost's are: compiled into the program, it is not what the user wrote. Places are
// those of the calls.
// heddle: run
// expect: bug deadlock at bound 1
// says: lock_both waits for b, which main holds since header_only_bad.cpp:20, at header_only_bad.cpp:21 (in library_lock)
#include <pthread.h>

#include <thread>

#line 100 "/usr/include/library/lock.hpp"
[[gnu::noinline]] void library_lock(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  asm volatile("");
}
#line 16 "corpus/cpp/header_only_bad.cpp"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void lock_both(pthread_mutex_t* first, pthread_mutex_t* second) {
  library_lock(first);
  library_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

int main() {
  std::thread other(lock_both, &a, &b);
  lock_both(&b, &a);
  other.join();
  return 0;
}
