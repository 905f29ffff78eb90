// pthread_once, split in two: the part that exceptions pass through is C compiled with unwinding (once_unwind.c). The
// runtime itself is built without exceptions and could not clean up.
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
