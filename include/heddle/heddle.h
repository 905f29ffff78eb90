// Heddle's header for the programs that it tests, C and C++. Nothing in it is needed to find bugs; it tells Heddle what
// Heddle can't know. Without Heddle all of this does nothing, or what is said below. There is no library to link with:
// when the program is loaded, it looks for Heddle in its own process.
#ifndef HEDDLE_HEDDLE_H_
#define HEDDLE_HEDDLE_H_

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Found once, before other constructors run and before there are threads. All members are null without Heddle.
struct heddle_functions_ {
  void (*start)(void);
  int (*choose)(int count);
  int (*iterate)(void);
  void (*benign_race)(const void* address, size_t size);
  void (*atomic_begin)(void);
  void (*atomic_end)(void);
  void (*point)(const volatile void* address);
  void (*name)(const volatile void* address, size_t size, const char* name);
};

__attribute__((unused)) static struct heddle_functions_ heddle_functions_;

__attribute__((constructor(101))) static void heddle_find_functions_(void) {
  const struct heddle_functions_* (*const find)(unsigned) =
      __extension__(const struct heddle_functions_* (*)(unsigned)) dlsym(NULL, "heddle_functions_1");
  const struct heddle_functions_* const found = find != NULL ? find(sizeof(struct heddle_functions_)) : NULL;
  if (found != NULL) heddle_functions_ = *found;
}

// So that the place of the call is known.
#define heddle_inline_ __attribute__((always_inline)) static inline

// Does the program run under Heddle?
static inline int heddle_active(void) { return heddle_functions_.start != NULL; }

// The search begins here: what comes before runs once, and no schedule of it is explored. Without it (and without
// --start-at) the search begins when the first thread is created. To be called while there is only one thread.
static inline void heddle_start(void) {
  if (heddle_functions_.start != NULL) heddle_functions_.start();
}

// A number from 0 to count - 1. The search tries each, together with each schedule: sizes, which of the
// operations a thread makes, whether something fails. Without Heddle: 0. A `count` of 1 or less gives 0.
heddle_inline_ int heddle_choose(int count) {
  return heddle_functions_.choose != NULL ? heddle_functions_.choose(count) : 0;
}

// For stress tests: while (heddle_iterate()) scenario(); Under Heddle the search begins here, and each execution goes
// through the scenario once. Without Heddle it goes on for ever, as such tests do.
static inline int heddle_iterate(void) { return heddle_functions_.iterate != NULL ? heddle_functions_.iterate() : 1; }

// Races on these bytes are meant, and are no bugs.
static inline void heddle_benign_race(const volatile void* address, size_t size) {
  if (heddle_functions_.benign_race != NULL) heddle_functions_.benign_race((const void*)address, size);
}

// From here to heddle_atomic_end() the calling thread is not preempted: no schedule is explored that switches away from
// it while it could go on. Where it has to wait (for a lock, a join), yields or sleeps, others run as ever. For code
// that is known to be right, or that is not what is tested. Regions may lie in each other. This leaves schedules out,
// it is no lock: without Heddle, and with --search=dpor, it does nothing.
static inline void heddle_atomic_begin(void) {
  if (heddle_functions_.atomic_begin != NULL) heddle_functions_.atomic_begin();
}
static inline void heddle_atomic_end(void) {
  if (heddle_functions_.atomic_end != NULL) heddle_functions_.atomic_end();
}

// A scheduling point: the search may switch threads here. To be put before an access to `address` that other threads
// make, too, in code that is not compiled by heddle-cc. Points of one address depend on each other, those of different
// ones don't; NULL stands for all memory that is not named. A loop that waits needs a yield as well.
heddle_inline_ void heddle_point(const volatile void* address) {
  if (heddle_functions_.point != NULL) heddle_functions_.point(address);
}

// What these bytes are called in reports: a lock or a counter on the heap, say. At most 63 characters.
static inline void heddle_name(const volatile void* address, size_t size, const char* name) {
  if (heddle_functions_.name != NULL) heddle_functions_.name(address, size, name);
}

// An assertion that is checked whether or not NDEBUG is defined. It fails as assert() does, with the message.
#ifndef _ASSERT_H_DECLS  // where NDEBUG is defined, <assert.h> does not declare it
extern void __assert_fail(const char*, const char*, unsigned int, const char*) __THROW __attribute__((__noreturn__));
#endif
#define heddle_assert(condition, message) \
  ((condition) ? (void)0 : __assert_fail(message, __FILE__, __LINE__, heddle_function_))
#ifdef __cplusplus
#define heddle_function_ __PRETTY_FUNCTION__
#else
#define heddle_function_ __func__
#endif

#ifdef __cplusplus
}

// heddle_atomic_begin() and heddle_atomic_end() of a scope.
struct heddle_atomic_region {
  heddle_atomic_region() { heddle_atomic_begin(); }
  ~heddle_atomic_region() { heddle_atomic_end(); }
  heddle_atomic_region(const heddle_atomic_region&) = delete;
  heddle_atomic_region& operator=(const heddle_atomic_region&) = delete;
};
#endif
#endif
