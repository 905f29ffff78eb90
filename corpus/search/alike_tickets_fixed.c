// Two threads that are started alike draw tickets, and main expects that they are different, whoever drew which.
// heddle: run --search=bounded
// expect: clean complete
// twin: alike_tickets.c
#include "alike_tickets.h"

int main(void) {
  void *first, *second;
  draw_two(&first, &second);
  assert(first != second);
  return 0;
}
