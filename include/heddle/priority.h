/* A priority of your own for heddle run --priority=./mine.so: which schedules come first.
 *
 * A priority is a function in a shared library. heddle calls it for each choice that an execution did not make, and
 * runs the schedules with the least numbers first. It decides the order only: in the end the same schedules have run.
 * The idea is GAMBIT's (Coons, Burckhardt, Musuvathi, PPoPP 2010, section 4.3).
 *
 *   #include <heddle/priority.h>
 *   HEDDLE_PRIORITY(execution, step, task) {
 *     heddle_operation made, next;
 *     if (!execution->made(execution, step, &made) || !execution->next(execution, task, step, &next)) return 1;
 *     return made.object == next.object ? 0 : 1;
 *   }
 *
 *   cc -shared -fPIC -o mine.so mine.c
 *
 * The library is loaded into heddle itself. It must not keep pointers, start threads or print. If it crashes or throws,
 * it is left out from there on, and a line says so. Plain C; this header needs nothing else of Heddle. */
#ifndef HEDDLE_PRIORITY_H
#define HEDDLE_PRIORITY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when anything here changes its meaning. heddle refuses a library with another number. */
#define HEDDLE_PRIORITY_ABI 2

/* An operation that a thread made, or would make next. Texts are valid until the function returns; none is null. */
typedef struct heddle_operation {
  uint32_t task;         /* the thread's number; 0 is main */
  uint32_t object;       /* of the mutex, atomic, thread …, in this execution; 0: none */
  uint64_t address;      /* of that object; 0: none */
  uint64_t place;        /* the address in the code; the same in every execution */
  const char* kind;      /* "mutex lock", as in heddle show */
  const char* function;  /* that the place is in; "" where it is not known */
  const char* variable;  /* that the object is; "" where it is not known */
  int wrote;             /* it changed the object, or may */
  uint32_t depth;        /* of the call stack; 0: none is known. Stacks are recorded with --context=2 or more */
  const uint64_t* stack; /* places, innermost first; null where there is none */
} heddle_operation;

typedef struct heddle_execution heddle_execution;
struct heddle_execution {
  const void* heddle; /* not for you */
  uint32_t steps;     /* of the execution */
  /* The operation of a step, from 0 on. Returns 0 if there is no such step. */
  int (*made)(const heddle_execution* execution, uint32_t step, heddle_operation* operation);
  /* What the thread does next at a step that `heddle_priority` was called for. Returns 0 if that is not known. */
  int (*next)(const heddle_execution* execution, uint32_t task, uint32_t step, heddle_operation* operation);
};

/* The thread `task` could have gone on at `step`, where another one did, or the same in another way. The least result
 * comes first. */
__attribute__((visibility("default"))) int64_t heddle_priority(const heddle_execution* execution, uint32_t step,
                                                               uint32_t task);
extern const uint32_t heddle_priority_abi __attribute__((visibility("default")));

#ifdef __cplusplus
}
#define HEDDLE_PRIORITY_C extern "C"
#else
#define HEDDLE_PRIORITY_C
#endif

/* Begins the definition of the function, with these names for its arguments. */
#define HEDDLE_PRIORITY(execution, step, task)                                \
  HEDDLE_PRIORITY_C const uint32_t heddle_priority_abi;                       \
  HEDDLE_PRIORITY_C const uint32_t heddle_priority_abi = HEDDLE_PRIORITY_ABI; \
  HEDDLE_PRIORITY_C int64_t heddle_priority(const heddle_execution* execution, uint32_t step, uint32_t task)

#endif
