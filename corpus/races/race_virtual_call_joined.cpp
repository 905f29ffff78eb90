// The other object is made when the thread that uses the first one has ended.
// heddle: run
// expect: clean complete
// twin: races/race_virtual_call.cpp
// build: heddle-cc
#include "races/virtual_call.h"

int main() {
  Base* object = new (room) One();
  std::thread user([object] { use(*object); });
  user.join();
  new (room) Other();
}
