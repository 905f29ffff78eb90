// Keyrings are made in two steps, and whoever sees the first takes the second for done.
// Shape of the kernel's CVE-2013-1792: a null pointer where two threads install a user's keyrings.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static int user_storage, session_storage;
static std::atomic<int*> user_keyring{nullptr}, session_keyring{nullptr};
static std::mutex lock;

static void install() {
  if (user_keyring != nullptr) return;
  const std::lock_guard guard(lock);
  if (user_keyring != nullptr) return;
#ifdef FIXED
  session_keyring = &session_storage;
  user_keyring = &user_storage;
#else
  user_keyring = &user_storage;
  session_keyring = &session_storage;
#endif
}

static void log_in() {
  install();
  assert(session_keyring != nullptr);
}

int main() {
  std::thread threads[] = {std::thread(log_in), std::thread(log_in)};
  for (std::thread& thread : threads) thread.join();
}
