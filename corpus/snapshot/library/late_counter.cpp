// A C++ library that programs load by dlopen during the test: static objects, a static local, a thread_local.
#include <string>

namespace {

struct Tally {
  Tally() : name("a name that is too long for the object itself") {}
  ~Tally() { calls = -1; }
  std::string name;
  int calls = 0;
};

Tally tally;
thread_local Tally tally_of_thread;

}  // namespace

extern "C" int count_call() {
  static Tally local;
  ++local.calls;
  tally.name += "!";
  return tally.name.back() == '!' && local.calls == tally.calls + 1 ? ++tally.calls : -2;
}

extern "C" int count_call_of_thread() { return ++tally_of_thread.calls; }
