// A queue tells by a thread that a message has come. That thread empties the queue, then asks to be told again: what
// comes in between nobody is told of.
// heddle: run
// expect: bug deadlock
// twin: queue_notice_fixed.c
// isolation: exec
#define REGISTERS_FIRST 0
#include "queue_notice.h"
