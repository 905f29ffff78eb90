// pthread_once, split so that the part through which exceptions pass is C compiled with unwinding (once_unwind.c): the
// runtime itself is built without exceptions and would not be able to clean up.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Calls initializer(). If that is left by an exception, forced unwinding or longjmp(), heddle_once_aborted(token) is
// called on the way out.
__attribute__((visibility("hidden"))) void heddle_call_once(void (*initializer)(void), uint64_t token);
__attribute__((visibility("hidden"))) void heddle_once_aborted(uint64_t token);

#ifdef __cplusplus
}
#endif
