/* A priority for heddle run --priority: preemptions between two operations on the same object come first.
 *
 *   cc -shared -fPIC -o same_object_first.so same_object_first.c
 *   heddle run --priority=./same_object_first.so -- ./test */
#include <heddle/priority.h>

HEDDLE_PRIORITY(execution, step, task) {
  heddle_operation made, next;
  if (!execution->made(execution, step, &made) || !execution->next(execution, task, step, &next)) return 1;
  return made.object != 0 && made.object == next.object && (made.wrote || next.wrote) ? 0 : 1;
}
