// Two customers and one item: whoever comes second fails, each at a place of its own, by an exception, by one that a
// library throws, by abort() or by a crash in a library. To --keep-going these are two bugs.
// heddle: run
// args: exception
// expect: bug exception at bound 0
// says: nothing is left
// twin: fails_nowhere.cpp
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int customers;
static std::vector<int> shelf;
static char* volatile nowhere;

static bool comes_second() {
  const std::lock_guard guard(lock);
  return ++customers == 2;
}

static void buy(const std::string& how) {
  if (!comes_second()) return;
  if (how == "exception") throw std::runtime_error("nothing is left");
  if (how == "library") shelf.at(1) = 1;
  if (how == "abort") std::abort();
  if (how == "crash") std::memset(nowhere, 1, std::size_t{1} << 16), ++customers;
}

static void order(const std::string& how) {
  if (!comes_second()) return;
  if (how == "exception") throw std::runtime_error("nothing is left");
  if (how == "library") shelf.at(1) = 2;
  if (how == "abort") std::abort();
  if (how == "crash") std::memset(nowhere, 2, std::size_t{1} << 16), ++customers;
}

int main(int, char** arguments) {
  const std::string how = arguments[1];
  std::thread first(buy, how), second(order, how);
  first.join();
  second.join();
}
