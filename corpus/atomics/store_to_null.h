// One thread stores by way of a pointer; another one takes the pointer away, unless STAYS.
#include <pthread.h>

#include <atomic>

struct Counted {
  int first;
  std::atomic<int> count;
};
static Counted object;
static std::atomic<Counted*> shared{&object};

static void* use(void*) {
  shared.load()->count.store(1);
  return nullptr;
}

static void* take_away(void*) {
#ifndef STAYS
  shared.store(nullptr);
#endif
  return nullptr;
}

int main() {
  pthread_t user, owner;
  pthread_create(&user, nullptr, use, nullptr);
  pthread_create(&owner, nullptr, take_away, nullptr);
  pthread_join(user, nullptr);
  pthread_join(owner, nullptr);
  return 0;
}
