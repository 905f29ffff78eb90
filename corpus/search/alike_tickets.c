// Two threads that are started alike draw tickets, and main expects that the first one has drawn the lower. It gets
// what each has returned, so they are not interchangeable.
// heddle: run --search=bounded
// expect: bug assertion at bound 0
// says: first < second
// twin: alike_tickets_fixed.c
#include "alike_tickets.h"

int main(void) {
  void *first, *second;
  draw_two(&first, &second);
  assert(first < second);
  return 0;
}
