// The allocator: sizes, alignments, what can't be had, and errno.
#include <malloc.h>
#include <stdint.h>

#include "check.h"

namespace {

bool aligned(const void* block, size_t to) { return reinterpret_cast<uintptr_t>(block) % to == 0; }

// The compiler knows what these functions do, and would leave calls out.
volatile size_t huge = SIZE_MAX / 2;

void check_simple() {
  char* block = static_cast<char*>(malloc(100));
  HOLDS("malloc", "100 bytes", block != nullptr);
  HOLDS("malloc", "aligned for every type", aligned(block, 16));
  HOLDS("malloc_usable_size", "at least what was asked for", malloc_usable_size(block) >= 100);
  HOLDS("malloc_usable_size", "a null pointer", malloc_usable_size(nullptr) == 0);
  memset(block, 7, 100);
  char* larger = static_cast<char*>(realloc(block, 100000));
  HOLDS("realloc", "larger", larger != nullptr);
  HOLDS("realloc", "keeps what was there", larger[0] == 7 && larger[99] == 7);
  larger = static_cast<char*>(realloc(larger, 10));
  HOLDS("realloc", "smaller, keeps the beginning", larger != nullptr && larger[9] == 7);
  HOLDS("malloc_usable_size", "after realloc", malloc_usable_size(larger) >= 10);
  free(larger);
  HOLDS("free", "a block", true);
  free(nullptr);
  HOLDS("free", "a null pointer", true);
  errno = 77;
  free(malloc(1 << 20));
  VALUE_OF("free", "leaves errno as it is", 77, errno);
  void* none = malloc(0);
  free(none);
  HOLDS("malloc", "no bytes, and free of the result", true);
  block = static_cast<char*>(realloc(nullptr, 50));
  HOLDS("realloc", "a null pointer is malloc", block != nullptr);
  free(block);
}

void check_zeroed() {
  auto* numbers = static_cast<unsigned char*>(malloc(1000));
  memset(numbers, 255, 1000);
  free(numbers);
  numbers = static_cast<unsigned char*>(calloc(100, 10));
  bool zero = numbers != nullptr;
  for (int i = 0; zero && i < 1000; ++i) zero = numbers[i] == 0;
  HOLDS("calloc", "all bytes are zero", zero);
  free(numbers);
  errno = 0;
  HOLDS("calloc", "the product overflows", calloc(huge, 16) == nullptr);
  VALUE_OF("calloc", "errno when the product overflows", ENOMEM, errno);
  free(calloc(0, 5));
  HOLDS("calloc", "no elements", true);
}

void check_too_much() {
  errno = 0;
  HOLDS("malloc", "half the address space", malloc(huge) == nullptr);
  VALUE_OF("malloc", "errno for half the address space", ENOMEM, errno);
  errno = 0;
  static char* volatile block = static_cast<char*>(malloc(10));
  block[0] = 5;
  HOLDS("realloc", "to half the address space", realloc(block, huge) == nullptr);
  VALUE_OF("realloc", "errno then", ENOMEM, errno);
  VALUE_OF("realloc", "the old block is still there", 5, block[0]);
  errno = 0;
  HOLDS("reallocarray", "the product overflows", reallocarray(block, huge, 16) == nullptr);
  VALUE_OF("reallocarray", "errno when the product overflows", ENOMEM, errno);
  block = static_cast<char*>(reallocarray(block, 20, 20));
  HOLDS("reallocarray", "20 times 20, keeps what was there", block != nullptr && block[0] == 5);
  free(block);
}

void check_aligned() {
  void* block = nullptr;
  ERROR_OF("posix_memalign", "64", 0, posix_memalign(&block, 64, 100));
  HOLDS("posix_memalign", "64, the address", aligned(block, 64));
  free(block);
  ERROR_OF("posix_memalign", "a page", 0, posix_memalign(&block, 4096, 10));
  HOLDS("posix_memalign", "a page, the address", aligned(block, 4096));
  free(block);
  void* untouched = &block;
  ERROR_OF("posix_memalign", "no power of two", EINVAL, posix_memalign(&untouched, 24, 100));
  ERROR_OF("posix_memalign", "smaller than a pointer", EINVAL, posix_memalign(&untouched, 2, 100));
  ERROR_OF("posix_memalign", "half the address space", ENOMEM, posix_memalign(&untouched, 64, huge));
  HOLDS("posix_memalign", "after an error the pointer is as it was", untouched == &block);
  block = aligned_alloc(128, 256);
  HOLDS("aligned_alloc", "128", block != nullptr && aligned(block, 128));
  free(block);
  block = aligned_alloc(4096, 4096);
  HOLDS("aligned_alloc", "a page", block != nullptr && aligned(block, 4096));
  free(block);
  errno = 0;
  HOLDS("aligned_alloc", "half the address space", aligned_alloc(64, huge) == nullptr && errno == ENOMEM);
  block = memalign(256, 10);
  HOLDS("memalign", "256", block != nullptr && aligned(block, 256));
  HOLDS("memalign", "usable size", malloc_usable_size(block) >= 10);
  free(block);
  errno = 0;
  HOLDS("memalign", "half the address space", memalign(64, huge) == nullptr && errno == ENOMEM);
  block = valloc(10);
  HOLDS("valloc", "a page", block != nullptr && aligned(block, 4096));
  free(block);
  errno = 0;
  HOLDS("valloc", "half the address space", valloc(huge) == nullptr && errno == ENOMEM);
  HOLDS("valloc", "no bytes", (block = valloc(0), free(block), true));
  block = pvalloc(10);
  HOLDS("pvalloc", "a page", block != nullptr && aligned(block, 4096));
  HOLDS("pvalloc", "the size is rounded up to pages", malloc_usable_size(block) >= 4096);
  free(block);
  errno = 0;
  HOLDS("pvalloc", "half the address space", pvalloc(huge) == nullptr && errno == ENOMEM);
}

void check_many() {
  constexpr int kBlocks = 10000;
  static unsigned* blocks[kBlocks];
  bool all = true, kept = true;
  for (unsigned i = 0; i < kBlocks; ++i) {
    blocks[i] = static_cast<unsigned*>(malloc(sizeof(unsigned) * (1 + i % 97)));
    all = all && blocks[i] != nullptr;
    blocks[i][i % 97] = i;
  }
  for (unsigned i = 0; i < kBlocks; ++i) kept = kept && blocks[i][i % 97] == i;
  HOLDS("malloc", "ten thousand blocks", all);
  HOLDS("malloc", "ten thousand blocks, each keeps its content", kept);
  HOLDS("free", "ten thousand blocks, by another thread", elsewhere([] {
          for (unsigned* block : blocks) free(block);
          return 1;
        }));
  HOLDS("mallinfo2", "bytes in use", mallinfo2().uordblks > 0);
  void* large = malloc(50 << 20);
  HOLDS("malloc", "fifty megabytes", large != nullptr);
  free(large);
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  static void* volatile more = malloc(100000);
  HOLDS("mallinfo2", "more in use after an allocation", mallinfo2().uordblks + mallinfo2().hblkhd > before);
  free(more);
  HOLDS("mallinfo2", "as before after free", mallinfo2().uordblks + mallinfo2().hblkhd == before);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  HOLDS("mallinfo", "bytes in use", mallinfo().uordblks != 0);
  HOLDS("mallinfo", "the same twice", mallinfo().uordblks == mallinfo().uordblks);
  HOLDS("mallinfo", "in another thread", elsewhere([] { return mallinfo().uordblks != 0; }));
}

}  // namespace

int main() {
  begin_checks();
  check_simple();
  check_zeroed();
  check_too_much();
  check_aligned();
  check_many();
  return end_checks();
}
