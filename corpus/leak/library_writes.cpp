// The effect is made by a library, not by the program's own calls: std::ofstream writes a file that is there before.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: exec
#include <cassert>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex;

static std::string content(const char* name) {
  std::ifstream file(name);
  std::string line;
  std::getline(file, line);
  return line;
}

static void append() {
  assert(content("written_by_the_test") == "start");
  { const std::lock_guard guard(mutex); }
  std::ofstream file("written_by_the_test", std::ios::app);
  file << "once\n" << std::flush;
  file.close();
  assert(content("written_by_the_test") == "start");
  std::ifstream all("written_by_the_test");
  std::string first, second;
  std::getline(all, first);
  std::getline(all, second);
  std::string third;
  assert(second == "once" && !std::getline(all, third));
}

int main() {
  { std::ofstream("written_by_the_test") << "start\n"; }
  std::thread one(append), other([] { const std::lock_guard guard(mutex); });
  one.join();
  other.join();
}
