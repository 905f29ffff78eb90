// Another object is made in the place of one whose function a thread calls: the pointer to its virtual table is written
// to.
// heddle: run
// expect: bug data race at bound 0
// says: room
// twin: races/race_virtual_call_joined.cpp
// build: heddle-cc
#include "races/virtual_call.h"

int main() {
  Base* object = new (room) One();
  std::thread user([object] { use(*object); });
  new (room) Other();
  user.join();
}
