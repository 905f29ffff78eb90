# The functions of the C and C++ libraries whose calls instrumented modules make through libheddle_instrument.a
# (src/instrument/memory.cpp, allocations.cpp), as the linker's options: with commas for -Wl, and apart for gcc's specs.
# (A response file would be shorter: gcc and clang read it themselves, or don't find it where its name has a space.)
#
# A C program has no operator new, so those are asked for weakly, for which no member of a static library would be taken
# (-static-libstdc++): what is C++ asks for them by the options HEDDLE_WANTED besides.
set(HEDDLE_OPERATORS _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
  _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t)
list(TRANSFORM HEDDLE_OPERATORS PREPEND --undefined= OUTPUT_VARIABLE HEDDLE_WANTED)
list(JOIN HEDDLE_WANTED "," HEDDLE_WANTED_LIST)
list(JOIN HEDDLE_WANTED " " HEDDLE_WANTED_WORDS)
set(HEDDLE_WRAPPED memcpy memmove memset malloc calloc realloc memalign aligned_alloc posix_memalign valloc pvalloc
  ${HEDDLE_OPERATORS})
list(TRANSFORM HEDDLE_WRAPPED PREPEND --wrap=)
list(JOIN HEDDLE_WRAPPED "," HEDDLE_WRAP_LIST)
list(JOIN HEDDLE_WRAPPED " " HEDDLE_WRAP_WORDS)
