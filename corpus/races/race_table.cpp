// Two threads write one element of a table. The compiler keeps only that element of it; it is called as in the source.
// heddle: run
// build: heddle-cc clang
// expect: bug data race at bound 0
// says: table[4][1]
// twin: races/race_table_apart.cpp
#include <thread>

static int table[10][3];

int main() {
  std::thread first([] { table[4][1] = 1; });
  std::thread second([] { table[4][1] = 2; });
  first.join();
  second.join();
  return table[4][1] == 9;
}
