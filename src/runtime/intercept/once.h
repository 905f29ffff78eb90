// pthread_once, split so that the part through which exceptions pass is C compiled with unwinding (once_unwind.c): the
// runtime itself is built without exceptions and would not be able to clean up.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Calls initializer(); then heddle_once_done(token), or heddle_once_aborted(token) if it was left by an exception or by
// forced unwinding, which goes on.
__attribute__((visibility("hidden"))) void heddle_call_once(void (*initializer)(void), uint64_t token);
__attribute__((visibility("hidden"))) void heddle_once_aborted(uint64_t token);

#ifdef __cplusplus
}
#endif
