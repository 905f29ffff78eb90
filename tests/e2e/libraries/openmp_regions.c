// What the ends of OpenMP's parallel regions and loops order. With -DBUG one loop does not wait for the other.
#include <omp.h>

enum { SIZE = 4 };
static int values[SIZE], sums[SIZE];

int main(void) {
  int base = 1;
#pragma omp parallel num_threads(2)
  values[omp_get_thread_num()] = base;
  base += values[0] + values[1];
#pragma omp parallel num_threads(2)
  {
#ifdef BUG
#pragma omp for nowait
#else
#pragma omp for
#endif
    for (int i = 0; i < SIZE; ++i) values[i] = base;
#pragma omp for
    for (int i = 0; i < SIZE; ++i) sums[i] = values[SIZE - 1 - i];
  }
  return sums[0] == 3 && sums[SIZE - 1] == 3 ? 0 : 1;
}
