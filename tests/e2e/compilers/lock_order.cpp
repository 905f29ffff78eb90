// Two threads lock two members of a variable in opposite orders, from lambdas that call inlined functions.
#include <mutex>
#include <thread>

namespace {
struct {
  int pad = 0;
  std::mutex first, second;
} shared;
}  // namespace

int main() {
  std::thread forth([] {
    const std::scoped_lock outer(shared.first);
    const std::scoped_lock inner(shared.second);
  });
  std::thread back([] {
    const std::scoped_lock outer(shared.second);
    const std::scoped_lock inner(shared.first);
  });
  forth.join();
  back.join();
}
