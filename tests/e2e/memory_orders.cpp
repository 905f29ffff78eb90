// Lock-free code whose memory orders matter, for --memory=rc11: NAME K. With 0 all orders are as strong as they have to
// be; with K the K-th one is relaxed. memory_orders_test.py says which of these fail.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>
#include <utility>

namespace {

using std::memory_order;
constexpr memory_order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                       release = std::memory_order_release, acq_rel = std::memory_order_acq_rel,
                       seq_cst = std::memory_order_seq_cst;

// The order at place `kHere`.
template <int kWeak, int kHere>
constexpr memory_order at(memory_order order) {
  return kWeak == kHere ? relaxed : order;
}

// As few steps as possible: main is the second thread.
template <typename One, typename Other>
void side_by_side(One one, Other other) {
  std::thread thread(one);
  other();
  thread.join();
}

template <int K>
void message_passing() {
  static std::atomic<int> data, flag;
  side_by_side([] { data.store(1, relaxed), flag.store(1, at<K, 1>(release)); },
               [] {
                 if (flag.load(at<K, 2>(acquire)) == 1) assert(data.load(relaxed) == 1);
               });
}

// That the data is seq_cst doesn't help where the flag orders nothing.
template <int K>
void sequential_data() {
  static std::atomic<int> data, flag;
  side_by_side([] { data.store(1, seq_cst), flag.store(1, at<K, 1>(release)); },
               [] {
                 if (flag.load(at<K, 2>(acquire)) == 1) assert(data.load(seq_cst) == 1);
               });
}

// The standard orders whoever counts down before whoever waits, however libstdc++ does it.
template <int K>
void latch() {
  static std::latch done(1);
  static int data;
  side_by_side([] { data = 1, done.count_down(); }, [] { done.wait(), assert(data == 1); });
}

// All seq_cst, where a release, an acquire and relaxed orders do.
template <int K>
void too_strong() {
  static std::atomic<int> data, flag, count;
  side_by_side([] { data.store(1), flag.store(1), count.fetch_add(1); },
               [] {
                 if (flag.load() == 1) assert(data.load() == 1);
               });
}

template <int K>
void store_buffering() {
  static std::atomic<int> x, y;
  static int seen_x, seen_y;
  side_by_side([] { x.store(1, at<K, 1>(seq_cst)), seen_y = y.load(at<K, 2>(seq_cst)); },
               [] { y.store(1, seq_cst), seen_x = x.load(seq_cst); });
  assert(seen_x == 1 || seen_y == 1);
}

// Each thread has a variable of its own, which may lie where the other one's was.
template <int K>
void fresh_block() {
  side_by_side(
      [] {
        auto* const mine = new std::atomic<int>(0);
        mine->store(1, relaxed), mine->store(0, relaxed);
        delete mine;
      },
      [] {
        auto* const mine = new std::atomic<int>(0);
        assert(mine->load(relaxed) == 0);
        delete mine;
      });
}

// What the whole publishes, a half gets.
template <int K>
void two_sizes() {
  static std::uint64_t flag;
  static int data;
  side_by_side([] { data = 1, __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); },
               [] {
                 if (__atomic_load_n(reinterpret_cast<std::uint32_t*>(&flag), __ATOMIC_ACQUIRE) == 1) assert(data == 1);
               });
}

// The reader may have missed ten stores; eight are kept.
template <int K>
void many_stores() {
  static std::atomic<int> x;
  side_by_side([] { static_cast<void>(x.load(relaxed)); },
               [] {
                 for (int i = 1; i <= 10; ++i) x.store(i, relaxed);
               });
}

// A loop that waits ends, whatever old values it reads.
template <int K>
void waits() {
  static std::atomic<int> x;
  side_by_side([] { x.store(1, release); },
               [] {
                 while (x.load(acquire) == 0) {
                 }
               });
}

// The order of the failure matters.
template <int K>
void failing_exchange() {
  static std::atomic<int> data, y;
  side_by_side([] { data.store(1, relaxed), y.store(1, release); },
               [] {
                 int expected = 7;
                 if (!y.compare_exchange_strong(expected, 5, seq_cst, at<K, 1>(acquire)) && expected == 1)
                   assert(data.load(relaxed) == 1);
               });
}

// Both may read 0, and nothing fails.
template <int K>
void nothing_fails() {
  static std::atomic<int> x, y;
  side_by_side([] { x.store(1, relaxed), static_cast<void>(y.load(relaxed)); },
               [] { y.store(1, relaxed), static_cast<void>(x.load(relaxed)); });
}

template <int K>
void store_buffering_with_fences() {
  static std::atomic<int> x, y;
  static int seen_x, seen_y;
  side_by_side([] { x.store(1, relaxed), atomic_thread_fence(at<K, 1>(seq_cst)), seen_y = y.load(relaxed); },
               [] { y.store(1, relaxed), atomic_thread_fence(at<K, 2>(seq_cst)), seen_x = x.load(relaxed); });
  assert(seen_x == 1 || seen_y == 1);
}

template <int K>
void peterson() {
  static std::atomic<bool> wants[2];
  static std::atomic<int> turn;
  static std::atomic<int> inside;
  const auto pass = [](int self) {
    wants[self].store(true, at<K, 1>(seq_cst));
    turn.store(1 - self, at<K, 2>(seq_cst));
    while (wants[1 - self].load(at<K, 3>(seq_cst)) && turn.load(at<K, 4>(seq_cst)) == 1 - self) {
    }
    assert(inside.fetch_add(1, relaxed) == 0);
    inside.fetch_sub(1, relaxed);
    wants[self].store(false, seq_cst);
  };
  side_by_side([=] { pass(0); }, [=] { pass(1); });
}

template <int K>
void double_checked() {
  struct Thing {
    int value;
  };
  static std::atomic<Thing*> instance;
  static Thing thing;
  const auto get = [] {
    if (Thing* found = instance.load(at<K, 1>(acquire)); found != nullptr) return found->value;
    static std::atomic_flag busy;
    if (busy.test_and_set(acq_rel)) return 7;
    thing.value = 7;
    instance.store(&thing, at<K, 2>(release));
    return 7;
  };
  side_by_side([=] { assert(get() == 7); }, [=] { assert(get() == 7); });
}

template <int K>
void seqlock() {
  static std::atomic<unsigned> sequence;
  static std::atomic<int> a, b;
  side_by_side(
      [] {
        sequence.store(1, relaxed);
        atomic_thread_fence(at<K, 1>(release));
        a.store(1, relaxed), b.store(1, relaxed);
        sequence.store(2, at<K, 2>(release));
      },
      [] {
        const unsigned before = sequence.load(at<K, 3>(acquire));
        const int first = a.load(relaxed), second = b.load(relaxed);
        atomic_thread_fence(at<K, 4>(acquire));
        if (before % 2 == 0 && sequence.load(relaxed) == before) assert(first == second);
      });
}

template <int K>
void ring() {
  static int slot;
  static std::atomic<int> written, taken;
  side_by_side(
      [] {
        for (int i = 1; i <= 2; ++i) {
          while (taken.load(at<K, 1>(acquire)) != i - 1) {
          }
          slot = i;
          written.store(i, at<K, 2>(release));
        }
      },
      [] {
        for (int i = 1; i <= 2; ++i) {
          while (written.load(at<K, 3>(acquire)) != i) {
          }
          assert(slot == i);
          taken.store(i, at<K, 4>(release));
        }
      });
}

template <int K>
void ticket_lock() {
  static std::atomic<int> next, serving;
  static int inside;
  const auto pass = [] {
    const int mine = next.fetch_add(1, relaxed);
    while (serving.load(at<K, 1>(acquire)) != mine) {
    }
    ++inside;
    serving.store(mine + 1, at<K, 2>(release));
  };
  side_by_side(pass, pass);
}

template <int K>
void mcs_lock() {
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> locked{false};
  };
  static std::atomic<Node*> tail;
  static int inside;
  static Node nodes[2];
  const auto pass = [](Node& mine) {
    mine.locked.store(true, relaxed);
    if (Node* before = tail.exchange(&mine, at<K, 1>(acq_rel)); before != nullptr) {
      before->next.store(&mine, at<K, 2>(release));
      while (mine.locked.load(at<K, 3>(acquire))) {
      }
    }
    ++inside;
    Node* after = mine.next.load(acquire);
    Node* expected = &mine;
    if (after == nullptr) {
      if (tail.compare_exchange_strong(expected, nullptr, at<K, 4>(release), relaxed)) return;
      while ((after = mine.next.load(acquire)) == nullptr) {
      }
    }
    after->locked.store(false, at<K, 5>(release));
  };
  side_by_side([=] { pass(nodes[0]); }, [=] { pass(nodes[1]); });
}

// The lock of Craig (1993), and of Magnusson, Landin and Hagersten (1994): each waits at the node before its own.
template <int K>
void clh_lock() {
  static std::atomic<bool> locked[3];
  static std::atomic<std::atomic<bool>*> tail;
  static std::atomic<int> passed;
  tail = &locked[2];
  const auto pass = [](std::atomic<bool>& mine) {
    mine.store(true, relaxed);
    const std::atomic<bool>* const before = tail.exchange(&mine, at<K, 1>(acq_rel));
    while (before->load(at<K, 2>(acquire))) {
    }
    passed.store(passed.load(relaxed) + 1, relaxed);
    mine.store(false, at<K, 3>(release));
  };
  side_by_side([=] { pass(locked[0]); }, [=] { pass(locked[1]); });
  assert(passed == 2);
}

template <int K>
void readers_and_a_writer() {
  static std::atomic<int> state;  // readers, or -1
  static int data;
  side_by_side(
      [] {
        if (state.fetch_add(1, at<K, 1>(acquire)) >= 0) static_cast<void>(*const_cast<const volatile int*>(&data));
        state.fetch_sub(1, at<K, 2>(release));
      },
      [] {
        int nobody = 0;
        if (!state.compare_exchange_strong(nobody, -100, at<K, 3>(acquire), relaxed)) return;
        data = 1;
        state.fetch_add(100, at<K, 4>(release));
      });
}

template <int K>
void treiber() {
  struct Node {
    int value = 0;
    Node* next = nullptr;
  };
  static std::atomic<Node*> head;
  static Node node;
  side_by_side(
      [] {
        node.value = 1;
        node.next = head.load(relaxed);
        head.compare_exchange_strong(node.next, &node, at<K, 1>(release), relaxed);
      },
      [] {
        Node* top = head.load(at<K, 2>(acquire));
        if (top != nullptr && head.compare_exchange_strong(top, top->next, relaxed, relaxed)) assert(top->value == 1);
      });
}

// The queue of Michael and Scott (PODC 1996), which takes no node out of memory.
template <int K>
void michael_scott() {
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};
  };
  static std::atomic<Node*> head, tail;
  head = tail = new Node{0};
  static const auto put = [](int value) {
    Node* const node = new Node{value};
    for (;;) {
      Node* last = tail.load(at<K, 1>(acquire));
      Node* next = last->next.load(at<K, 2>(acquire));
      if (next != nullptr) {
        tail.compare_exchange_strong(last, next, release, relaxed);
      } else if (last->next.compare_exchange_strong(next, node, at<K, 3>(release), relaxed)) {
        tail.compare_exchange_strong(last, node, at<K, 4>(release), relaxed);
        return;
      }
    }
  };
  static const auto take = [] {
    for (;;) {
      Node* first = head.load(at<K, 5>(acquire));
      Node* const next = first->next.load(at<K, 6>(acquire));
      if (next == nullptr) return 0;
      const int value = next->value;
      if (head.compare_exchange_strong(first, next, at<K, 7>(release), relaxed)) return value;
    }
  };
  static int taken;
  int sum = 0;
  side_by_side([] { put(1), taken = take(); }, [&] { sum = take(), put(10); });
  for (int value; (value = take()) != 0;) sum += value;
  assert(taken + sum == 11);
}

template <int K>
void reference_count() {
  static std::atomic<int> owners;
  static int payload;
  owners = 2;
  const auto drop = [](int value) {
    payload += value * 0;
    if (owners.fetch_sub(1, at<K, 1>(release)) != 1) return;
    atomic_thread_fence(at<K, 2>(acquire));
    payload = -1;
  };
  side_by_side([=] { static_cast<void>(*const_cast<const volatile int*>(&payload)), drop(0); },
               [=] { static_cast<void>(*const_cast<const volatile int*>(&payload)), drop(0); });
}

// The deque of Chase and Lev as Lê, Pop, Cohen and Zappa Nardelli give it for C11 (PPoPP 2013), of a fixed size.
template <int K>
void chase_lev() {
  static std::atomic<int> top, bottom, items[4], sum;
  static const auto push = [](int value) {
    const int b = bottom.load(relaxed);
    items[b].store(value, relaxed);
    atomic_thread_fence(at<K, 1>(release));
    bottom.store(b + 1, relaxed);
  };
  static const auto take = [] {
    const int b = bottom.load(relaxed) - 1;
    bottom.store(b, relaxed);
    atomic_thread_fence(at<K, 2>(seq_cst));
    int t = top.load(relaxed);
    if (t > b) return bottom.store(b + 1, relaxed), 0;
    const int value = items[b].load(relaxed);
    if (t < b) return value;
    const bool won = top.compare_exchange_strong(t, t + 1, seq_cst, relaxed);
    bottom.store(b + 1, relaxed);
    return won ? value : 0;
  };
  static const auto steal = [] {
    int t = top.load(at<K, 3>(acquire));
    atomic_thread_fence(at<K, 4>(seq_cst));
    const int b = bottom.load(at<K, 5>(acquire));
    if (t >= b) return 0;
    const int value = items[t].load(relaxed);
    return top.compare_exchange_strong(t, t + 1, seq_cst, relaxed) ? value : -100;
  };
  static int stolen;
  int taken = 0;
  side_by_side(
      [] {
        for (int i = 0; i < 2; ++i)
          if (const int value = steal(); value != -100) stolen += value;
      },
      [&] { push(1), push(10), taken = take(), taken += take(); });
  taken += take();
  assert(taken + stolen == 11);
}

template <int K>
void hazard_pointer() {
  static std::atomic<int*> shared, hazard;
  static int old_value = 1, new_value = 2;
  shared = &old_value;
  side_by_side(
      [] {
        int* const found = shared.load(acquire);
        hazard.store(found, relaxed);
        atomic_thread_fence(at<K, 1>(seq_cst));
        if (shared.load(acquire) == found) assert(*found != 0);
        hazard.store(nullptr, release);
      },
      [] {
        shared.store(&new_value, release);
        atomic_thread_fence(at<K, 2>(seq_cst));
        if (hazard.load(acquire) != &old_value) old_value = 0;
      });
}

// Read-copy-update as Desnoyers and others give it for user space (TPDS 2012), with one reader: who writes waits until
// the reader is out, then uses the old value up.
template <int K>
void grace_period() {
  static std::atomic<int*> shared;
  static std::atomic<bool> reads;
  static int old_value = 1, new_value;
  shared = &old_value;
  side_by_side(
      [] {
        reads.store(true, relaxed);
        atomic_thread_fence(at<K, 1>(seq_cst));
        assert(*shared.load(at<K, 2>(acquire)) == 1);
        reads.store(false, at<K, 3>(release));
      },
      [] {
        new_value = 1;
        shared.store(&new_value, at<K, 4>(release));
        atomic_thread_fence(at<K, 5>(seq_cst));
        while (reads.load(at<K, 6>(acquire))) {
        }
        old_value = 0;
      });
}

template <void (*... kRun)()>
void call(int which) {
  int index = 0;
  ((index++ == which ? kRun() : void()), ...);
}

struct Test {
  const char* name;
  void (*run)(int weak);
};

#define TEST(name) \
  { #name, call < name < 0>, name < 1>, name < 2>, name < 3>, name < 4>, name < 5>, name < 6>, name < 7>> }
constexpr Test kTests[] = {TEST(fresh_block),
                           TEST(two_sizes),
                           TEST(many_stores),
                           TEST(waits),
                           TEST(failing_exchange),
                           TEST(nothing_fails),
                           TEST(message_passing),
                           TEST(sequential_data),
                           TEST(latch),
                           TEST(too_strong),
                           TEST(store_buffering),
                           TEST(store_buffering_with_fences),
                           TEST(peterson),
                           TEST(double_checked),
                           TEST(seqlock),
                           TEST(ring),
                           TEST(ticket_lock),
                           TEST(mcs_lock),
                           TEST(clh_lock),
                           TEST(readers_and_a_writer),
                           TEST(treiber),
                           TEST(michael_scott),
                           TEST(reference_count),
                           TEST(chase_lev),
                           TEST(hazard_pointer),
                           TEST(grace_period)};

}  // namespace

int main(int count, char** arguments) {
  for (const Test& test : kTests)
    if (count == 3 && strcmp(test.name, arguments[1]) == 0) return test.run(atoi(arguments[2])), 0;
  return 2;
}
