// A lookup finds an entry of a list under the lock, and takes its reference after the lock: the entry may have been
// removed and released between. Shape of the kernel's list races, such as CVE-2011-2183 (page merging beside exit).
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

struct Entry {
  int key;
  int references = 1;  // the list's own
  Entry* next = nullptr;
};

static Entry entries[] = {{1}, {2}, {3}};
static Entry* head;
static std::mutex list_lock, reference_lock;

static void put(Entry* entry) {
  const std::lock_guard guard(reference_lock);
  --entry->references;
}

static void get(Entry* entry) {
  const std::lock_guard guard(reference_lock);
  assert(entry->references > 0);
  ++entry->references;
}

static void look_up(int key) {
  std::unique_lock guard(list_lock);
  Entry* entry = head;
  while (entry != nullptr && entry->key != key) entry = entry->next;
  if (entry == nullptr) return;
#ifdef FIXED
  get(entry);
  guard.unlock();
#else
  guard.unlock();
  get(entry);
#endif
  put(entry);
}

static void remove_key(int key) {
  std::unique_lock guard(list_lock);
  Entry** link = &head;
  while (*link != nullptr && (*link)->key != key) link = &(*link)->next;
  Entry* entry = *link;
  if (entry == nullptr) return;
  *link = entry->next;
  guard.unlock();
  put(entry);
}

static void look_up_all() {
  for (int key = 1; key <= 3; ++key) look_up(key);
}

static void remove_two() {
  remove_key(3);
  remove_key(1);
}

int main() {
  for (Entry& entry : entries) entry.next = head, head = &entry;
  std::thread threads[] = {std::thread(look_up_all), std::thread(remove_two)};
  for (std::thread& thread : threads) thread.join();
}
