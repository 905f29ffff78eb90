// Heddle's header for the programs that it tests, C and C++. Nothing of this is needed to find bugs; it says what
// Heddle can't know. The program runs without Heddle, too: then all of this does nothing, or what is said below. There
// is no library to link with: when the program is loaded, it looks for Heddle in its own process.
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
  int (*choose)(int count, const void* caller);
  int (*iterate)(void);
  void (*benign_race)(const void* address, size_t size);
};

__attribute__((unused)) static struct heddle_functions_ heddle_functions_;

__attribute__((constructor(101))) static void heddle_find_functions_(void) {
  const struct heddle_functions_* (*const find)(unsigned) =
      (const struct heddle_functions_* (*)(unsigned))dlsym(NULL, "heddle_functions_1");
  const struct heddle_functions_* const found = find != NULL ? find(sizeof(struct heddle_functions_)) : NULL;
  if (found != NULL) heddle_functions_ = *found;
}

// Does the program run under Heddle?
static inline int heddle_active(void) { return heddle_functions_.start != NULL; }

// The search begins here: what comes before runs once, and no schedule of it is explored. Without it (and without
// --start-at) the search begins when the first thread is created. To be called while there is only one thread.
static inline void heddle_start(void) {
  if (heddle_functions_.start != NULL) heddle_functions_.start();
}

// A number from 0 to count - 1, of which the search tries every one, together with every schedule: sizes, which of the
// operations a thread makes, whether something fails. Without Heddle: 0. A `count` of 1 or less gives 0.
static inline int heddle_choose(int count) {
  return heddle_functions_.choose != NULL ? heddle_functions_.choose(count, __builtin_return_address(0)) : 0;
}

// For stress tests: while (heddle_iterate()) scenario(); Under Heddle the search begins here, and each execution goes
// through the scenario once. Without Heddle it goes on for ever, as such tests do.
static inline int heddle_iterate(void) { return heddle_functions_.iterate != NULL ? heddle_functions_.iterate() : 1; }

// Races on these bytes are meant, and are no bugs.
static inline void heddle_benign_race(const volatile void* address, size_t size) {
  if (heddle_functions_.benign_race != NULL) heddle_functions_.benign_race((const void*)address, size);
}

// An assertion that is checked whether or not NDEBUG is defined. It fails as assert() does, with the message.
#define heddle_assert(condition, message) \
  ((condition) ? (void)0 : __assert_fail(message, __FILE__, __LINE__, heddle_function_))
#ifdef __cplusplus
#define heddle_function_ __PRETTY_FUNCTION__
#else
#define heddle_function_ __func__
#endif

#ifdef __cplusplus
}
#endif
#endif
