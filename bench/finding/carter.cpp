// The first user of a kind takes the resource while it holds the lock on the counters, and the last user of the other
// kind, who would release it, needs that lock. Shape of SCTBench's carter01: two kinds of users and two idle threads.
// build: plain
#include <semaphore.h>

#include <mutex>
#include <thread>

static std::mutex first_lock, second_lock;
static sem_t resource;
static int first_users, second_users;

static void use(std::mutex& counters, int& users) {
  {
    const std::lock_guard guard(counters);
    if (++users == 1) sem_wait(&resource);
  }
  const std::lock_guard guard(counters);
  if (--users == 0) sem_post(&resource);
}

static void first_kind() { use(first_lock, first_users); }

static void second_kind() {
#ifdef FIXED
  use(second_lock, second_users);
#else
  use(first_lock, second_users);
#endif
}

static void idle() {}

int main() {
  sem_init(&resource, 0, 1);
  std::thread threads[] = {std::thread(first_kind), std::thread(second_kind), std::thread(idle), std::thread(idle)};
  for (std::thread& thread : threads) thread.join();
}
