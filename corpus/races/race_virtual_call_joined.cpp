// The object is destroyed when the thread that uses it has ended.
// heddle: run
// expect: clean complete
// twin: races/race_virtual_call.cpp
// build: heddle-cc
#include <memory>
#include <new>
#include <thread>

struct Base {
  virtual ~Base() { value = 0; }
  virtual int get() { return value; }
  int value = 1;
};

struct Derived : Base {
  int get() override { return value + 1; }
};

alignas(Derived) static char room[sizeof(Derived)];

int main() {
  Base* object = new (room) Derived();
  std::thread user([object] { static_cast<void>(object->get()); });
  user.join();
  object->~Base();
}
