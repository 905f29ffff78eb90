# What lies on a stack or in a block of the heap is called by its variable, or by its class and member.
import harness
from harness import BUG

HEAD = """
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
"""
ACCOUNTS = """
struct Account {
  long id = 0;
  std::mutex mutex;
  long balance = 0;
};
void transfer(Account& from, Account& to) {
  std::lock_guard first(from.mutex);
  std::lock_guard second(to.mutex);
  --from.balance, ++to.balance;
}
int main() {
  %s
  std::thread one([&] { transfer(%s, %s); });
  std::thread other([&] { transfer(%s, %s); });
  one.join();
  other.join();
}
"""
POOL = """
struct Queue {
  std::deque<int> items;
  std::mutex lock;
  std::condition_variable ready;
};
class Pool {
 public:
  void work() {
    std::unique_lock held(queue_.lock);
    queue_.ready.wait(held);
    queue_.items.pop_front();
  }
  void put(int item) {
    {
      std::lock_guard held(queue_.lock);
      queue_.items.push_back(item);
    }
    queue_.ready.notify_one();
  }

 private:
  long made_ = 0;
  Queue queue_;
};
int main() {
  auto pool = std::make_shared<Pool>();
  std::thread worker([pool] { pool->work(); });
  pool->put(1);
  worker.join();
}
"""
STACK = """
struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};
struct Stack {
  std::atomic<Node*> head{nullptr};
  long pushed = 0;
};
void push(Stack& stack) {
  auto* const node = new Node;
  node->next = stack.head.load();
  stack.head = node;
  ++stack.pushed;
}
int main() {
  auto stack = std::make_unique<Stack>();
  std::thread other([&] { push(*stack); });
  push(*stack);
  other.join();
  assert(stack->head.load()->next.load() != nullptr);
}
"""
# Prints as GoogleTest does. The framework takes a lock of its own when it notes a failure.
FRAMEWORK = """
#include <cstdio>
std::mutex notes, lock;
int count;
void note_failure(int line) {
  std::lock_guard held(notes);
  std::printf("%s:%d: Failure\\nExpected: 2\\n", __FILE__, line);
}
#define CHECK(condition) do { if (!(condition)) note_failure(__LINE__); } while (0)
int read() { std::lock_guard held(lock); return count; }
void write(int value) { std::lock_guard held(lock); count = value; }
void add() { write(read() + 1); }
void later() { std::lock_guard held(lock); count = 0; }
int main() {
  std::puts("[ RUN      ] Counter.Adds");
  std::thread one(add), other(add);
  one.join();
  other.join();
  const int found = read();
  CHECK(found == 2);
  std::puts("[  FAILED  ] Counter.Adds");
#ifdef LATER
  for (int i = 0; i < 2; ++i) std::thread(later).join();
#endif
  return found != 2;
}
"""


LAMBDAS = """
std::mutex mutex, other_mutex;
void start() {
  std::thread waits([&] {
    std::lock_guard one(other_mutex);
    std::lock_guard two(mutex);
  });
  std::thread holds([&] {
    std::lock_guard one(mutex);
    std::lock_guard two(other_mutex);
  });
  waits.join();
  holds.join();
}
int main() { start(); }
"""
WRITTEN_TWICE = r"""
int count, done;
void work(int first) {
  count = first;
  count = first + 2;
  done = done + 1;
}
int main() {
  std::thread one(work, 2), other(work, 3);
  one.join();
  other.join();
  assert(done == 2);
}
"""

VALUES = """
enum State { kIdle, kRunning, kStopped };
volatile State state, seen;
int* volatile content;
volatile bool ready;
volatile int count;
int number;
std::atomic<State> phase;
void run() {
  state = kStopped;
  seen = kRunning;
  content = &number;
  content = nullptr;
  ready = true;
  phase = kStopped;
  count = -3;
}
int main() {
  std::thread thread(run);
  assert(count != -3);
  thread.join();
}
"""
RACE = """
int counter;
int main() {
  std::thread thread([] { counter = 5; });
  const int seen = counter;
  thread.join();
  return seen == 7;
}
"""
ON_STACK = """
struct Queue {
  std::atomic<int> head{0}, tail{0};
};
int main() {
  Queue queue;
  std::thread thread([&] { queue.tail.store(queue.head.load(std::memory_order_relaxed) + 1); });
  const int head = queue.head.load(std::memory_order_relaxed);
  const int tail = queue.tail.load(std::memory_order_acquire);
  thread.join();
#ifdef FAILS
  assert(tail == head);
#endif
  return head > tail;
}
"""


class PageNames(harness.TestCase):
    def build(self, text, compiler="g++", flags=("-O1",)):
        source, program = self.scratch.path("program.cpp"), self.scratch.path("program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(HEAD + text)
        if compiler.startswith("heddle-"):
            compiler = harness.program(compiler)
        harness.run([compiler, "-std=c++20", "-g", "-pthread", *flags, source, "-o", program],
                    self.scratch.folder).require_status(0)
        return program

    def pages(self, text, compiler="g++", flags=("-O1",), options=()):
        """The pages of the bugs of a program."""
        result, report = self.scratch.run_heddle("-j1", *options, self.build(text, compiler, flags))
        self.assertEqual(result.status, BUG, result.text)
        pages = []
        for bug in report["bugs"]:
            with open(self.scratch.path(bug["trace"].replace(".trace", ".txt")), encoding="utf-8") as file:
                pages.append(file.read())
        return pages

    def require(self, page, *parts):
        for part in parts:
            self.assertIn(part, page)

    def test_on_a_stack(self):
        for flags in (("-O0",), ("-O1",)):
            page, = self.pages(ACCOUNTS % ("Account a, b;", "a", "b", "b", "a"), flags=flags)
            self.require(page, "waits for b.mutex, which", "waits for a.mutex, which", "a variable of main()")

    def test_what_comes_after_the_failure_is_left_out(self):
        page, = self.pages(FRAMEWORK, flags=("-O1", "-DLATER"))
        self.require(page, "program.cpp:", "Failure", "joins add 2", "steps after the failure (--full shows them)")
        self.assertNotIn("later", page)
        full = self.scratch.heddle("show", "--full")
        full.require_says("later 1")
        full.require("after the failure" not in full.text, "a full page leaves something out")

    def test_nothing_comes_after_the_failure(self):
        page, = self.pages(FRAMEWORK)
        self.require(page, "Failure", "joins add 2")
        self.assertNotIn("after the failure", page)

    def test_in_an_array_on_the_heap(self):
        """The second class is as large as the array, and has something else there."""
        for flags in (("-O0",), ("-O1",)):
            page, = self.pages(ACCOUNTS % ("std::vector<Account> all(3);", "all[0]", "all[2]", "all[2]", "all[0]"),
                               flags=flags)
            self.require(page, "Account[0].mutex", "Account[2].mutex")

    def test_two_of_a_class(self):
        page, = self.pages(ACCOUNTS % ("auto a = std::make_unique<Account>(), b = std::make_unique<Account>();", "*a",
                                       "*b", "*b", "*a"))
        self.require(page, "Account.mutex #1", "Account.mutex #2")

    def test_members_of_members_behind_shared_counts(self):
        for flags in (("-O0",), ("-O1",)):
            page, = self.pages(POOL, flags=flags)
            self.require(page, "waits for a signal on Pool.queue_.ready", "Pool.queue_.lock")

    def test_threads_that_run_lambdas(self):
        line = (HEAD + LAMBDAS).splitlines().index("  });") + 1  # to which gcc counts the creation
        result, report = self.scratch.run_heddle("-j1", self.build(LAMBDAS))
        result.require_status(BUG)
        self.require(report["bugs"][0]["message"], f"lambda at program.cpp:{line} waits for mutex, which "
                     f"lambda at program.cpp:{line + 4} holds since ")

    def test_values_of_writes_that_are_followed_by_others(self):
        """The second write is no scheduling point."""
        _, report = self.scratch.run_heddle("-j1", self.build(WRITTEN_TWICE, "heddle-c++", ("-O0",)))
        trace, = [bug["trace"] for bug in report["bugs"] if bug["kind"] == "assertion"]
        page = self.scratch.heddle("show", "--full", "--width=500", trace).text
        self.require(page, "writes count: 2", "writes count: 3")

    def test_values_of_plain_writes(self):
        """Volatile accesses are scheduling points."""
        result, report = self.scratch.run_heddle("-j1", "--races=ignore", self.build(VALUES, "heddle-c++"))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", "--width=500", report["bugs"][0]["trace"]).text
        self.require(page, "writes state: kStopped", "writes seen: kRunning", "writes content: null",
                     "writes ready: true", "writes count: -3", "stores to phase: kStopped", "reads count: -3")
        self.assertRegex(page, r"writes content: 0x[0-9a-f]{4,}")
        steps = [step["does"] for step in report["bugs"][0]["steps"]]
        self.assertIn("writes state: kStopped", steps)

    def test_values_of_racing_accesses(self):
        page = self.pages(RACE, "heddle-c++")[0]
        self.assertRegex(page, r"(reads|writes) counter: the race; (it is|now) [05]")

    def test_members_on_a_stack_that_are_accessed(self):
        """Of a thread's own steps, and in what --relax proposes, which is of the search."""
        page, = self.pages(ON_STACK, "heddle-c++", options=("--races=ignore",), flags=("-O1", "-DFAILS"))
        self.require(page, "loads queue.tail: ", "loads queue.head: ")
        self.assertNotIn("variable 1", page)
        program = self.build(ON_STACK, "heddle-c++", flags=("-O1",))
        result = self.scratch.heddle("run", "--memory=rc11", "--relax", program)
        result.require_says("of queue.tail at program.cpp:")

    def test_memory_of_instrumented_programs(self):
        pages = self.pages(STACK, "heddle-c++", options=("--keep-going",))
        self.assertTrue(any("reads Stack.pushed" in page or "writes Stack.pushed" in page for page in pages))
        page = next(page for page in pages if page.startswith("Assertion"))
        self.require(page, "Stack.head", "Node.next #1", "Node.next #2")


if __name__ == "__main__":
    harness.main()
