// Dekker's algorithm, every schedule that differs: 96, as many as the bounded search finds when it is exhausted. Two
// others end at a read of a loop that has been made before the write it waits for: there is no such order. One that
// differs in nothing is run besides.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 97
// build: heddle-cc
#include "../atomics/dekker.c"
