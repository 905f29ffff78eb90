// Treiber's stack.
#include <cds/container/treiber_stack.h>

#include "cds_hazard.h"

int main() {
  return with_hazard_pointers([] {
    cds::container::TreiberStack<cds::gc::HP, int> stack;
    put_and_take(
        Order::Stack, [&](int item) { require(stack.push(item), "room"); }, [&](int& item) { return stack.pop(item); },
        kAttached);
  });
}
