// The bank account with one critical section per withdrawal.
// heddle: run
// expect: clean complete
// twin: bank_account.c
#include <assert.h>
#include <pthread.h>

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
  balance -= 100;
  pthread_mutex_unlock(&account);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, deposit, NULL);
  pthread_create(&threads[1], NULL, withdraw, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(balance == 100);
  return 0;
}
