// Linked in place of libheddle_instrument: counts the accesses that instrumented code makes, and prints how many.
#include <stdio.h>
#include <string.h>

static unsigned long accesses, before;

#define COUNT(name) \
  void name(void* address) { ++accesses, (void)address; }
#define COUNT_SIZES(prefix) COUNT(prefix##1) COUNT(prefix##2) COUNT(prefix##4) COUNT(prefix##8) COUNT(prefix##16)
COUNT_SIZES(__tsan_read)
COUNT_SIZES(__tsan_write)
COUNT_SIZES(__tsan_unaligned_read)
COUNT_SIZES(__tsan_unaligned_write)
COUNT_SIZES(__tsan_volatile_read)
COUNT_SIZES(__tsan_volatile_write)
COUNT(__tsan_vptr_read)
void __tsan_vptr_update(void** address, void* value) { ++accesses, (void)address, (void)value; }
void __tsan_read_range(void* address, unsigned long size) { ++accesses, (void)address, (void)size; }
void __tsan_write_range(void* address, unsigned long size) { ++accesses, (void)address, (void)size; }
void __tsan_func_entry(void* caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

// What came before is not asked for.
void count_from_here(void) { before = accesses; }

__attribute__((destructor)) static void print(void) { fprintf(stderr, "accesses %lu\n", accesses - before); }
