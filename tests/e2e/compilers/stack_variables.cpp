// Races on variables of stacks. The comment at a racing access says what the variable is to be called. Behind the name,
// "or nothing": where the compiler's debug information does not tell in optimized code.
#include <array>
#include <cstdio>
#include <thread>

namespace {

void plain() {
  int counter = 0;
  std::thread writer([&counter] { ++counter; });  // counter of plain()
  ++counter;
  writer.join();
}

struct Inner {
  int first;
  int second[4];
};
struct Outer {
  char tag;
  Inner inner[3];
};

void member() {
  Outer outer = {};
  std::thread writer([&] { ++outer.inner[1].second[2]; });  // outer.inner[1].second[2] of member()
  ++outer.inner[1].second[2];
  writer.join();
}

void element() {
  std::array<long, 8> slots = {};
  std::thread writer([&] { ++slots[3]; });  // slots of element()
  ++slots[3];
  writer.join();
}

void two_blocks() {
  {
    int before = 0;
    std::thread writer([&before] { ++before; });  // before of two_blocks()
    ++before;
    writer.join();
  }
  {
    int after = 0;
    std::thread writer([&after] { ++after; });  // after of two_blocks()
    ++after;
    writer.join();
  }
}

void on_a_threads_own_stack() {
  std::thread owner([] {
    int own = 0;
    std::thread writer([&own] { ++own; });  // own of a lambda in on_a_threads_own_stack
    ++own;
    writer.join();
  });
  owner.join();
}

// The one that owns the variable waits several calls further down.
[[gnu::noinline]] void join_deep(std::thread& thread, int depth) {
  if (depth != 0) return join_deep(thread, depth - 1);
  thread.join();
  std::puts("");
}

void waits_deep() {
  int from_above = 0;
  std::thread first([&from_above] { ++from_above; });   // from_above of waits_deep()
  std::thread second([&from_above] { ++from_above; });  // from_above of waits_deep()
  join_deep(first, 3);
  join_deep(second, 3);
}

[[gnu::noinline]] void by_value(Outer outer, int small) {
  std::thread writer([&] { ++outer.inner[0].first; });  // outer.inner[0].first of by_value()
  ++outer.inner[0].first;
  std::thread other([&] { ++small; });  // small of by_value() or nothing
  ++small;
  writer.join();
  other.join();
}

inline __attribute__((always_inline)) void inlined_in() {
  int inside = 0;
  std::thread writer([&inside] { ++inside; });  // inside of inlined_in()
  ++inside;
  writer.join();
}

void inlines() {
  int outside = 0;
  std::thread writer([&outside] { ++outside; });  // outside of inlines()
  ++outside;
  inlined_in();
  writer.join();
}

void aligned() {
  alignas(64) int lonely = 0;
  std::thread writer([&lonely] { ++lonely; });  // lonely of aligned()
  ++lonely;
  writer.join();
}

void length_of_its_own(std::size_t length) {
  auto* const row = static_cast<volatile char*>(__builtin_alloca(length));
  row[0] = 1;
  int beside = 0;
  std::thread writer([&] { ++beside; });  // beside of length_of_its_own()
  ++beside;
  writer.join();
}

void by_reference_of_reference() {
  int target = 0;
  int& one = target;
  int& other = one;
  std::thread writer([&other] { ++other; });  // target of by_reference_of_reference()
  ++one;
  writer.join();
}

}  // namespace

int main() {
  plain();
  member();
  element();
  two_blocks();
  on_a_threads_own_stack();
  waits_deep();
  by_value({}, 0);
  inlines();
  aligned();
  length_of_its_own(3);
  by_reference_of_reference();
}
