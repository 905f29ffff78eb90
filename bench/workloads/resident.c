// Much memory that was written before the threads, of which each execution writes some pages, spread evenly:
// resident MEGABYTES PAGES. Two tasks with two critical sections each.
#include <stdlib.h>
#include <string.h>

#include "sections.h"

enum { PAGE = 4096 };
static char* memory;
static size_t size, written;

static void* write_pages(void* unused) {
  for (size_t i = 0; i < written; ++i) memory[size / written * i] += 1;
  return enter_sections(unused);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  size = (size_t)atol(arguments[1]) << 20;
  written = (size_t)atol(arguments[2]);
  memory = malloc(size);
  if (memory == NULL || written == 0) return 2;
  for (size_t i = 0; i < size; i += PAGE) memory[i] = 1;
  pthread_t threads[2];
  sections_each = 2;
  pthread_create(&threads[0], NULL, write_pages, NULL);
  pthread_create(&threads[1], NULL, enter_sections, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return entered == 4 ? 0 : 1;
}
