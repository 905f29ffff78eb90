// A node is popped, and pushed again, while another thread is about to replace it by its old successor.
// heddle: run
// expect: bug assertion at bound 1
// says: holders == 1
// twin: atomics/treiber_counted.cpp
// build: heddle-cc
#include "atomics/treiber_reused.h"

int main() { return take_and_give_back<false>(); }
