// Two Abseil mutexes; with -DBUG they are locked in two orders.
#include <absl/synchronization/mutex.h>

#include <thread>

static absl::Mutex left, right;
static int moved;

static void move(absl::Mutex& first, absl::Mutex& second) {
  const absl::MutexLock one(&first);
  const absl::MutexLock other(&second);
  ++moved;
}

int main() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // Heddle is to find it
  std::thread one([] { move(left, right); });
#ifdef BUG
  std::thread two([] { move(right, left); });
#else
  std::thread two([] { move(left, right); });
#endif
  one.join();
  two.join();
  return moved == 2 ? 0 : 1;
}
