# The functions of the C and C++ libraries whose calls instrumented modules make through libheddle_instrument.a
# (src/instrument/memory.cpp, allocations.cpp), as the linker's options: with commas for -Wl, and apart for gcc's specs.
# (A response file would be shorter: gcc and clang read it themselves, or don't find it where its name has a space.)
set(HEDDLE_WRAPPED memcpy memmove memset malloc calloc realloc memalign aligned_alloc posix_memalign valloc pvalloc
  _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
  _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t)
list(TRANSFORM HEDDLE_WRAPPED PREPEND --wrap=)
list(JOIN HEDDLE_WRAPPED "," HEDDLE_WRAP_LIST)
list(JOIN HEDDLE_WRAPPED " " HEDDLE_WRAP_WORDS)
