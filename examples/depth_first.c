/* A priority for heddle run --priority: the schedule that branches off last comes first, as a depth-first search goes.
 *
 *   cc -shared -fPIC -o depth_first.so depth_first.c
 *   heddle run --priority=./depth_first.so -- ./test */
#include <heddle/priority.h>

HEDDLE_PRIORITY(execution, step, task) {
  (void)execution;
  (void)task;
  return -(int64_t)step;
}
