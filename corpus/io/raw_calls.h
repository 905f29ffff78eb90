// System calls as a static library or an assembler program makes them: past libc.
#pragma once

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long raw_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static inline long raw_wait(volatile uint32_t* word, uint32_t expected) {
  return raw_call(SYS_futex, (long)word, FUTEX_WAIT, expected, 0, 0, 0);
}

static inline long raw_wake(volatile uint32_t* word, int count) {
  return raw_call(SYS_futex, (long)word, FUTEX_WAKE, count, 0, 0, 0);
}
