// Asks for the operators new, which allocations.cpp refers to weakly, since a C program has none: for a weak reference
// no member of a static library is taken (-static-libstdc++), and no shared one is needed (--as-needed). Linked with
// what is C++ only.
#define HEDDLE_ASK_FOR(name) extern "C" __attribute__((visibility("default"))) void* __real_##name(unsigned long);
#define HEDDLE_ADDRESS_OF(name) __real_##name,
#define HEDDLE_OPERATORS(what)                                                                           \
  what(_Znwm) what(_Znam) what(_ZnwmRKSt9nothrow_t) what(_ZnamRKSt9nothrow_t) what(_ZnwmSt11align_val_t) \
      what(_ZnamSt11align_val_t) what(_ZnwmSt11align_val_tRKSt9nothrow_t) what(_ZnamSt11align_val_tRKSt9nothrow_t)

HEDDLE_OPERATORS(HEDDLE_ASK_FOR)

namespace {
__attribute__((used)) void* (*const asked_for[])(unsigned long) = {HEDDLE_OPERATORS(HEDDLE_ADDRESS_OF)};
}
