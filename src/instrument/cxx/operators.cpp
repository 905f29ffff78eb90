// Strong references to the operators new. allocations.cpp refers to them weakly, since a C program has none; but a weak
// reference takes no member from a static library (-static-libstdc++) and needs no shared one (--as-needed). So this
// file is linked into C++ programs only.
#define HEDDLE_ASK_FOR(name) extern "C" __attribute__((visibility("default"))) void* __real_##name(unsigned long);
#define HEDDLE_ADDRESS_OF(name) __real_##name,
#define HEDDLE_OPERATORS(what)                                                                           \
  what(_Znwm) what(_Znam) what(_ZnwmRKSt9nothrow_t) what(_ZnamRKSt9nothrow_t) what(_ZnwmSt11align_val_t) \
      what(_ZnamSt11align_val_t) what(_ZnwmSt11align_val_tRKSt9nothrow_t) what(_ZnamSt11align_val_tRKSt9nothrow_t)

HEDDLE_OPERATORS(HEDDLE_ASK_FOR)

namespace {
__attribute__((used)) void* (*const asked_for[])(unsigned long) = {HEDDLE_OPERATORS(HEDDLE_ADDRESS_OF)};
}
