// A loop, a reduction, a critical section and tasks on OpenMP (libgomp).
#include <omp.h>
#include <stdio.h>

static long fibonacci(int n) {
  long one, other;
  if (n < 2) return n;
#pragma omp task shared(one)
  one = fibonacci(n - 1);
#pragma omp task shared(other)
  other = fibonacci(n - 2);
#pragma omp taskwait
  return one + other;
}

int main(void) {
  long sum = 0, entries = 0, number = 0;
  omp_set_num_threads(3);
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
  for (int i = 1; i <= 40; ++i) sum += i;
#pragma omp parallel
  {
#pragma omp critical
    ++entries;
#pragma omp barrier
#pragma omp single
    number = fibonacci(6);
  }
  printf("sum %ld, threads %ld, number %ld\n", sum, entries, number);
  return sum == 820 && entries == 3 && number == 8 ? 0 : 1;
}
