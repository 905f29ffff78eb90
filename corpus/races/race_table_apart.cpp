// As race_table.cpp, with an element for each thread.
// heddle: run
// build: heddle-cc clang
// expect: clean complete
// twin: races/race_table.cpp
#include <thread>

static int table[10][3];

int main() {
  std::thread first([] { table[4][1] = 1; });
  std::thread second([] { table[4][2] = 2; });
  first.join();
  second.join();
  return table[4][1] == 9 || table[4][2] == 9;
}
