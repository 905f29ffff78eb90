// Boost 1.74: Treiber's stack with tagged pointers.
#include <boost/lockfree/stack.hpp>
#include <utility>  // which Boost 1.74 forgets

#include "structure_test.h"

int main() {
  boost::lockfree::stack<int> stack(4);
  put_and_take(
      Order::Stack, [&](int item) { require(stack.push(item), "room"); }, [&](int& item) { return stack.pop(item); });
}
