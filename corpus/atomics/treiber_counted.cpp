// The stack whose head counts its changes: a node that has come back is seen to be another state of the head.
// heddle: run
// expect: clean bound 4
// twin: atomics/treiber_aba.cpp
// build: heddle-cc
#include "atomics/treiber_reused.h"

int main() { return take_and_give_back<true>(); }
