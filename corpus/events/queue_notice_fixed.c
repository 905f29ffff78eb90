// A queue tells by a thread that a message has come. That thread asks to be told again, then empties the queue, as
// mq_notify(3) shows it.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// twin: queue_notice.c
// isolation: exec
#define REGISTERS_FIRST 1
#include "queue_notice.h"
