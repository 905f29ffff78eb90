// A critical section of OpenMP, and what is written beside it. With -DBUG only one of two threads' steps may be left.
static int sum, last;

int main(void) {
  int steps = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; ++i) {
#ifdef BUG
    const int before = steps;
#endif
#pragma omp critical
    {
      sum += i;
      last = i;
#ifndef BUG
      ++steps;
#endif
    }
#ifdef BUG
    steps = before + 1;
#endif
  }
  return sum == 6 && last >= 1 && steps == 4 ? 0 : 1;
}
