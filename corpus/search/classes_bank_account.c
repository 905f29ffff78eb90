// The bank account of the CHESS blog, without its assertion: one section and two, so three orders.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 3
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void* deposit(void* unused) {
  pthread_mutex_lock(&account);
  balance += 100;
  pthread_mutex_unlock(&account);
  return unused;
}

static void* withdraw(void* unused) {
  pthread_mutex_lock(&account);
  const int seen = balance;
  pthread_mutex_unlock(&account);
  pthread_mutex_lock(&account);
  balance = seen - 100;
  pthread_mutex_unlock(&account);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, deposit, NULL);
  pthread_create(&threads[1], NULL, withdraw, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
