// An object is destroyed while another thread calls a function of it: its pointer to the virtual table is written to.
// heddle: run
// expect: bug data race at bound 0
// says: Base
// twin: races/race_virtual_call_joined.cpp
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
  object->~Base();
  user.join();
}
