// Runs small programs through World in every possible way, without threads: a task is a coroutine that awaits one
// operation after the other, and every execution is the program run afresh along another sequence of choices.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/fixture.h"

namespace heddle::model {

// The code of one task. `co_await operation` gives the operation's result.
class Body {
 public:
  struct promise_type {
    Operation next;
    std::int32_t result = 0;
    Body get_return_object() { return Body(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
    struct Await {
      promise_type& promise;
      bool await_ready() { return false; }
      void await_suspend(std::coroutine_handle<>) {}
      std::int32_t await_resume() { return promise.result; }
    };
    Await await_transform(const Operation& operation) {
      next = operation;
      return {*this};
    }
  };

  Body(Body&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Body(const Body&) = delete;
  ~Body() {
    if (handle_) handle_.destroy();
  }
  // Goes on to the next operation; false when the task is through.
  bool resume(std::int32_t result) {
    handle_.promise().result = result;
    handle_.resume();
    return !handle_.done();
  }
  const Operation& next() const { return handle_.promise().next; }

 private:
  explicit Body(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// One execution in the making. setup() adds objects and tasks; the first task added is task 0.
class Program {
 public:
  explicit Program(World& world) : world_(world) {}
  World& world() { return world_; }
  ObjectId add(ObjectKind kind) { return world_.population().add_object(kind, 0, 0, 0); }
  void add_task(Body body);
  // What to write down of an execution that ended by itself (final values, say).
  std::function<std::string()> outcome = [] { return std::string(); };

 private:
  friend class Explorer;
  void go_on(TaskId task);
  World& world_;
  std::vector<Body> bodies_;
};

struct ExploreOptions {
  Limits limits;
  int preemption_bound = -1;      // no more preemptions than this; -1 = any number
  std::uint32_t max_steps = 200;  // an execution that is longer is cut off
  std::uint64_t max_executions = 500'000;
  std::function<void(World&)> at_start;                      // set up, and every task has published its first operation
  std::function<void(World&, const Decision&)> at_decision;  // before the choice is made
  std::function<void(World&, const Operation&, Choice, const Effect&)> after_step;  // before the task goes on
};

struct Exploration {
  std::uint64_t executions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t misuses = 0;
  std::uint64_t cut_off = 0;  // by max_steps
  bool complete = true;       // false: max_executions reached
  std::set<std::string> outcomes;
};

Exploration explore(const std::function<void(Program&)>& setup, const ExploreOptions& options = {});

// Every choice that is allowed now, spurious ones last.
std::vector<Choice> allowed_choices(const World& world);

// Expects that each task's kept state is what a new look at it gives, and that the queues are sound.
void expect_consistent(World& world);

}  // namespace heddle::model
