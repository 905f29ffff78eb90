// Two threads take from an account and write each step to a log, which has a lock of its own. What the log does takes
// most of the schedules, and is not what is tested.
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdlib.h>

struct log {
  pthread_mutex_t lock;
  int lines;
};

static struct log* audit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void write_line(void) {
  pthread_mutex_lock(&audit->lock);
  ++audit->lines;
  pthread_mutex_unlock(&audit->lock);
}

static void take(int amount);

static void* customer(void* unused) {
  take(60);
  return unused;
}

int main(void) {
  audit = malloc(sizeof *audit);
  pthread_mutex_init(&audit->lock, NULL);
  heddle_name(&audit->lock, sizeof audit->lock, "lock of the audit log");
  pthread_t one, other;
  pthread_create(&one, NULL, customer, NULL);
  pthread_create(&other, NULL, customer, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  free(audit);
  heddle_assert(balance >= 0, "the account is overdrawn");
  return 0;
}
