// Loops of which threads get one piece after the other, and sections. With -DBUG both threads write to one place.
#include <omp.h>

static int values[2], shared;

static void take(int i) {
#ifdef BUG
  shared += i + 1;
#else
#pragma omp atomic
  shared += i + 1;
#endif
  values[i] = i;
}

int main(void) {
  int copied = 0, sum = 0;
#ifdef SECTIONS
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    take(0);
#pragma omp section
    take(1);
  }
#else
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 2; ++i) take(i);
#endif
#ifdef COPY
#pragma omp parallel num_threads(2) firstprivate(copied)
  {
#pragma omp single copyprivate(copied)
    copied = 7;
#pragma omp atomic
    sum += copied;
  }
  if (sum != 14) return 1;
#endif
  return values[1] != 1 || shared != 3;
}
