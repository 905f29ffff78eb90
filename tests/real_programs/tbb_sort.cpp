// Sorts in parallel with oneTBB, as a user would write it.
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
  std::vector<unsigned> numbers(5000);
  unsigned state = 1;
  for (unsigned& number : numbers) number = state = state * 1103515245 + 12345;
  tbb::parallel_sort(numbers.begin(), numbers.end());
  if (!std::is_sorted(numbers.begin(), numbers.end())) return 1;
  std::printf("sorted, from %u to %u\n", numbers.front(), numbers.back());
}
