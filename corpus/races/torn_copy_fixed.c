// It says so. The copies race all the same, which is what such locks are about.
// heddle: run --races=report
// expect: clean complete
// says: data race
// twin: torn_copy.c
// build: heddle-cc
#define BEGIN() __atomic_store_n(&number, 1, __ATOMIC_SEQ_CST)
#include "races/torn_copy.h"
