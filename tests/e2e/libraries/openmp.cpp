// Threads of an OpenMP region, two locks and a critical section. With -DBUG the locks are taken in two orders.
#include <omp.h>

static omp_lock_t left, right;
static int moved, seen;

static void move(omp_lock_t& first, omp_lock_t& second) {
  omp_set_lock(&first);
  omp_set_lock(&second);
  ++moved;
  omp_unset_lock(&second);
  omp_unset_lock(&first);
}

int main() {
  omp_init_lock(&left);
  omp_init_lock(&right);
#pragma omp parallel num_threads(2)
  {
#ifdef BUG
    const bool other_order = omp_get_thread_num() == 1;
#else
    const bool other_order = false;
#endif
    move(other_order ? right : left, other_order ? left : right);
#pragma omp critical
    ++seen;
  }
  return moved == 2 && seen == 2 ? 0 : 1;
}
