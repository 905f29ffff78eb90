// An allocator that a program brings along: blocks of powers of two, the last that was freed comes first, under a lock
// that nobody sees. Also C++'s operators, by their names for the linker.
#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { kClasses = 26, kLeast = 5, kHeader = 16, kArena = 64 << 20 };

union block {
  unsigned class_of;
  union block* next;
  char header[kHeader];
};

static char arena[kArena] __attribute__((aligned(64)));
static size_t used;
static union block* freed[kClasses];
static int locked;

static void lock(void) {
  while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
}

static void unlock(void) { __atomic_store_n(&locked, 0, __ATOMIC_RELEASE); }

static unsigned class_of(size_t size) {
  unsigned number = kLeast;
  while (((size_t)1 << number) < size + kHeader) ++number;
  return number;
}

void* malloc(size_t size) {
  if (size > kArena / 2) {
    errno = ENOMEM;
    return NULL;
  }
  const unsigned number = class_of(size);
  lock();
  union block* block = freed[number];
  if (block != NULL) {
    freed[number] = block->next;
  } else if (used + ((size_t)1 << number) <= kArena) {
    block = (union block*)(arena + used);
    used += (size_t)1 << number;
  }
  unlock();
  if (block == NULL) return NULL;
  block->class_of = number;
  return (char*)block + kHeader;
}

void free(void* memory) {
  if (memory == NULL) return;
  union block* block = (union block*)((char*)memory - kHeader);
  const unsigned number = block->class_of;
  lock();
  block->next = freed[number];
  freed[number] = block;
  unlock();
}

void* calloc(size_t count, size_t size) {
  void* memory = malloc(count * size);
  return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

void* realloc(void* memory, size_t size) {
  if (memory == NULL) return malloc(size);
  const union block* block = (const union block*)((char*)memory - kHeader);
  const size_t room = ((size_t)1 << block->class_of) - kHeader;
  if (size <= room) return memory;
  void* moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, memory, room);
  free(memory);
  return moved;
}

void* _Znwm(size_t size) { return malloc(size); }
void* _Znam(size_t size) { return malloc(size); }
void _ZdlPv(void* memory) { free(memory); }
void _ZdaPv(void* memory) { free(memory); }
void _ZdlPvm(void* memory, size_t size) {
  (void)size;
  free(memory);
}
