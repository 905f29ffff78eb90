// Tests for Relacy that do what the programs w1, w2 and w4 in bench/workloads do: the same threads, created and joined
// by the first one, and the same operations. bench/isolation.py measures them in turn with Heddle (section `peers`).
//
// Relacy simulates threads within one process, so a test is a class, and its threads are written for Relacy's mutexes
// and condition variables (the names of pthreads are its macros). It isolates nothing and keeps no trace.
//
//   relacy w1 EXECUTIONS      so many executions by the random scheduler; Relacy prints how many it made in a second
#include <relacy/pthread.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace {

// W1 and W2: tasks that take one lock a number of times.
template <int Tasks, int Sections>
struct SectionsTest : rl::test_suite<SectionsTest<Tasks, Sections>, 1> {
  static constexpr rl::thread_id_t dynamic_thread_count = Tasks;

  pthread_mutex_t section;
  int entered = 0;  // as in the program: to access it is no step

  void before() { pthread_mutex_init(&section, nullptr); }
  void after() { pthread_mutex_destroy(&section); }

  static void* enter_sections(void* test) {
    auto& self = *static_cast<SectionsTest*>(test);
    for (int i = 0; i < Sections; ++i) {
      pthread_mutex_lock(&self.section);
      ++self.entered;
      pthread_mutex_unlock(&self.section);
    }
    return nullptr;
  }

  void thread(unsigned) {
    pthread_t threads[Tasks];
    void* result = nullptr;
    for (auto& task : threads) pthread_create(&task, nullptr, enter_sections, this);
    for (auto& task : threads) pthread_join(task, &result);
    RL_ASSERT(entered == Tasks * Sections);
  }
};

// W4: a bounded queue of capacity one with a mutex and two condition variables; two producers and two consumers, two
// items each.
struct QueueTest : rl::test_suite<QueueTest, 1> {
  static constexpr int kWorkers = 2, kItems = 2;
  static constexpr rl::thread_id_t dynamic_thread_count = 2 * kWorkers;

  pthread_mutex_t mutex;
  pthread_cond_t emptied, filled;
  int items = 0;

  void before() {
    pthread_mutex_init(&mutex, nullptr);
    emptied.init(false, $);  // without spurious wakeups: by default Heddle makes none
    filled.init(false, $);
  }
  void after() {
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&emptied);
    pthread_cond_destroy(&filled);
  }

  static void* produce(void* test) {
    auto& self = *static_cast<QueueTest*>(test);
    for (int i = 0; i < kItems; ++i) {
      pthread_mutex_lock(&self.mutex);
      while (self.items == 1) pthread_cond_wait(&self.emptied, &self.mutex);
      ++self.items;
      pthread_cond_signal(&self.filled);
      pthread_mutex_unlock(&self.mutex);
    }
    return nullptr;
  }

  static void* consume(void* test) {
    auto& self = *static_cast<QueueTest*>(test);
    for (int i = 0; i < kItems; ++i) {
      pthread_mutex_lock(&self.mutex);
      while (self.items == 0) pthread_cond_wait(&self.filled, &self.mutex);
      --self.items;
      pthread_cond_signal(&self.emptied);
      pthread_mutex_unlock(&self.mutex);
    }
    return nullptr;
  }

  void thread(unsigned) {
    pthread_t threads[2 * kWorkers];
    void* result = nullptr;
    for (int i = 0; i < kWorkers; ++i) pthread_create(&threads[i], nullptr, produce, this);
    for (int i = kWorkers; i < 2 * kWorkers; ++i) pthread_create(&threads[i], nullptr, consume, this);
    for (auto& task : threads) pthread_join(task, &result);
    RL_ASSERT(items == 0);
  }
};

// Exit status: 1 if an execution failed.
template <typename Test>
int run(const char* executions) {
  std::ostringstream progress;  // a line now and then that nobody reads
  rl::test_params params;
  params.iteration_count = std::strtoull(executions, nullptr, 10);
  params.search_type = rl::random_scheduler_type;
  params.progress_stream = &progress;
  return rl::simulate<Test>(params) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 3 ? argv[1] : "";
  if (name == "w1") return run<SectionsTest<2, 2>>(argv[2]);
  if (name == "w2") return run<SectionsTest<3, 2>>(argv[2]);
  if (name == "w4") return run<QueueTest>(argv[2]);
  std::cerr << "usage: " << argv[0] << " w1|w2|w4 EXECUTIONS\n";
  return 2;
}
