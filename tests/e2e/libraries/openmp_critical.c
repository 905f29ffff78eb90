// A sum that is read in one critical section and written in another, without a name either; correct without -DBUG.
#include <assert.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#ifdef BUG
    int seen;
#pragma omp critical
    seen = sum;
#pragma omp critical
    sum = seen + 1;
#else
#pragma omp critical
    ++sum;
#endif
  }
  assert(sum == 2);
}
