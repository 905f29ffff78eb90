// A manager makes a node known, and sets the node's first state after that. The node may have connected before, and its
// state is overwritten. Shape of the states of nodes in a cluster manager. An order violation of two writes.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

enum class State { unknown, starting, connected };

static std::mutex list_lock, state_lock;
static std::condition_variable listed;
static bool is_listed;
static State state = State::unknown;
static int changes;

static void set_state(State next) {
  const std::lock_guard guard(state_lock);
  state = next;
  ++changes;
}

static void receive() {
  {
    std::unique_lock guard(list_lock);
    listed.wait(guard, [] { return is_listed; });
  }
  set_state(State::connected);
}

static void start_node() {
#ifdef FIXED
  set_state(State::starting);
#endif
  {
    const std::lock_guard guard(list_lock);
    is_listed = true;
    listed.notify_one();
  }
#ifndef FIXED
  set_state(State::starting);
#endif
}

int main() {
  std::thread receiver(receive);
  std::thread manager(start_node);
  receiver.join();
  manager.join();
  assert(changes == 2 && state == State::connected);
}
