// Counters in every kind of memory: a second execution in the same memory would find them at one.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

static int in_bss;
static int in_data = 1;
static thread_local int in_tls = 1;
static std::unique_ptr<int> in_heap(new int(1));
static std::string small_text = "s", large_text(5000, 'l');
static std::map<int, int> in_map = {{1, 1}};
static int* in_tls_of_main;
static std::mutex mutex;

static int count_in_static_local() {
  static int runs = 0;
  static std::string text("constructed at the first call, in every execution");
  text += '.';
  assert(text.size() == 49 + static_cast<unsigned>(runs) + 1);
  return ++runs;
}

static void first() {
  const std::lock_guard guard(mutex);
  assert(++in_bss == 1);
  assert(++in_data == 2);
  assert(++in_tls == 2);
  assert(++*in_tls_of_main == 2);
  assert(++*in_heap == 2);
  assert(count_in_static_local() == 1);
  small_text += "1";
  assert(small_text == "s1");
  large_text += "1";
  assert(large_text.size() == 5001 && large_text.back() == '1');
  in_map[in_map.rbegin()->first + 1] = 1;
  assert(in_map.size() == 2);
}

static void second() {
  { const std::lock_guard guard(mutex); }
  const std::lock_guard guard(mutex);
  assert(++in_tls == 2);
  small_text += " and this makes it too long for the object";
  large_text = "short";
}

int main() {
  small_text.reserve(15);
  in_tls_of_main = &in_tls;
  std::thread one(first);
  one.join();
  std::thread two(second), three([] { const std::lock_guard guard(mutex); });
  two.join();
  three.join();
  in_heap.reset();
  assert(in_bss == 1 && in_tls == 2);
}
