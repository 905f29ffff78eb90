// One program for each pattern of src/report/patterns, and for each a look-alike that fails in a similar way for
// another reason: patterns_test.py names them by the first argument.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, other_changed = PTHREAD_COND_INITIALIZER;
static int ready, taken, plain;
static atomic_int shared, result;
static int* block;

static void run(void* (*one)(void*), void* (*other)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

// Locks in opposite orders; the look-alike holds one while it joins the thread that wants it.
static void* lock_and_other(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&other_lock);
  pthread_mutex_unlock(&other_lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* other_and_lock(void* unused) {
  pthread_mutex_lock(&other_lock);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&other_lock);
  return unused;
}
static void inversion(void) { run(lock_and_other, other_and_lock); }
static void joins_under_lock(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, lock_and_other, NULL);
  pthread_mutex_lock(&lock);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&lock);
}

// The same lock twice; the look-alike waits for one whose holder has ended.
static void twice(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}
static void* keeps_lock(void* unused) {
  pthread_mutex_lock(&lock);
  return unused;
}
static void kept(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, keeps_lock, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&lock);
}

// Waits with another lock held; the look-alike waits without one, and nobody signals.
static void* waits_under_other(void* unused) {
  pthread_mutex_lock(&other_lock);
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&other_lock);
  return unused;
}
static void* signals_under_other(void* unused) {
  pthread_mutex_lock(&other_lock);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&other_lock);
  return unused;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* signals_the_wrong_one(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&other_changed);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void nested_wait(void) { run(waits_under_other, signals_under_other); }
static void wrong_condition(void) { run(waits, signals_the_wrong_one); }

// The signaller does not take the waiter's lock; the look-alike signals before the waiter has come to its lock.
static void* sets_without_lock(void* unused) {
  atomic_store(&shared, 1);
  pthread_cond_signal(&changed);
  return unused;
}
static void* waits_for_shared(void* unused) {
  pthread_mutex_lock(&lock);
  while (!atomic_load(&shared)) {
    pthread_mutex_lock(&other_lock);  // a step between its look and its wait
    pthread_mutex_unlock(&other_lock);
    pthread_cond_wait(&changed, &lock);
  }
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* waits_without_look(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* signals(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void lost(void) { run(waits_for_shared, sets_without_lock); }
static void early(void) { run(waits_without_look, signals); }

// One condition variable for two kinds of waiters; the look-alike signals once for two that both could go on.
static void* waits_for_taken(void* unused) {
  pthread_mutex_lock(&lock);
  while (!taken) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* waits_and_takes(void* unused) {
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  taken = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void three(void* (*one)(void*), void* (*second)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  signals(NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
static void wrong_waiter(void) { three(waits_for_taken, waits_and_takes); }
static void one_signal_for_two(void) { three(waits, waits); }

// Reads in one section and writes in the next; the look-alike fails because the sections come in the wrong order.
static void* adds_in_two(void* unused) {
  pthread_mutex_lock(&lock);
  const int now = plain;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  plain = now + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void sections(void) {
  run(adds_in_two, adds_in_two);
  assert(plain == 2);
}
static void* sets(void* unused) {
  pthread_mutex_lock(&lock);
  plain = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* needs_it_set(void* unused) {
  pthread_mutex_lock(&lock);
  assert(plain == 1);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void order(void) { run(sets, needs_it_set); }

// Two atomic accesses that should be one; the look-alike has one access, and asks for the wrong result.
static void* adds_in_two_accesses(void* unused) {
  const int now = atomic_load(&shared);
  atomic_store(&shared, now + 1);
  return unused;
}
static void* adds(void* unused) {
  const int before = atomic_fetch_add(&shared, 1);
  if (before == 0) atomic_store(&result, atomic_load(&result) + 1);
  return unused;
}
static void accesses(void) {
  run(adds_in_two_accesses, adds_in_two_accesses);
  assert(atomic_load(&shared) == 2);
}
static void updates(void) {
  run(adds, adds);
  assert(atomic_load(&result) == 2);
}

// A stack of three: its top is taken away with the one below, and comes back with another one below it. The look-alike
// changes for good, and the exchange fails.
static atomic_int below_three = 2;
static void* takes_the_top(void* unused) {
  int top = atomic_load(&shared);
  const int below = top == 3 ? atomic_load(&below_three) : 0;
  if (atomic_compare_exchange_strong(&shared, &top, below)) atomic_store(&result, 2);
  return unused;
}
static void* takes_two_and_brings_one_back(void* unused) {
  atomic_store(&shared, 1);
  atomic_store(&below_three, 1);
  atomic_store(&shared, 3);
  return unused;
}
static void* takes_two(void* unused) {
  atomic_store(&shared, 1);
  return unused;
}
static void came_back(void) {
  atomic_store(&shared, 3);
  run(takes_the_top, takes_two_and_brings_one_back);
  assert(atomic_load(&shared) != 2);  // it was taken
}
static void changed_for_good(void) {
  atomic_store(&shared, 3);
  run(takes_the_top, takes_two);
  assert(atomic_load(&result) == 2);
}

// A block freed twice, used after that, or while a thread that nobody joined still uses it.
static void* frees(void* unused) {
  free(block);
  return unused;
}
static void freed_twice(void) {
  block = malloc(64);
  run(frees, frees);
}
static void* writes_block(void* unused) {
  *block = 1;
  return unused;
}
static void freed_beside(void) {
  block = malloc(64);
  run(frees, writes_block);
}
static void not_joined(void) {
  pthread_t thread;
  block = malloc(64);
  pthread_create(&thread, NULL, writes_block, NULL);
  free(block);
  pthread_join(thread, NULL);
}

// A variable that one of two threads protects; the look-alike: neither does.
static void* writes_plain(void* unused) {
  plain = 2;
  return unused;
}
static void half_locked(void) { run(sets, writes_plain); }
static void unlocked(void) { run(writes_plain, writes_plain); }

// Another thread's lock; the look-alike: a lock that nobody holds.
static void* unlocks(void* unused) {
  pthread_mutex_unlock(&lock);
  return unused;
}
static void unlocked_by_another(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, unlocks, NULL);
  pthread_join(thread, NULL);
}
static void unlocked_by_nobody(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, unlocks, NULL);
  pthread_join(thread, NULL);
}

// Looks before another thread has set what it looks for; the look-alike looks after it has been cleared.
static void* looks(void* unused) {
  assert(atomic_load(&shared) != 0);
  return unused;
}
static void used_early(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, looks, NULL);
  atomic_store(&shared, 1);
  pthread_join(thread, NULL);
}
static void cleared_early(void) {
  pthread_t thread;
  atomic_store(&shared, 1);
  pthread_create(&thread, NULL, looks, NULL);
  atomic_store(&shared, 0);
  pthread_join(thread, NULL);
}

// It does more behind its look, and that fails.
static int guarded;
static void* counts(void* unused) {
  pthread_mutex_lock(&lock);
  guarded = 1;
  pthread_mutex_unlock(&lock);
  atomic_store(&shared, 1);
  return unused;
}
static void* looks_and_goes_on(void* unused) {
  if (atomic_load(&shared) != 0) return unused;
  pthread_mutex_lock(&lock);
  assert(guarded == 0);
  pthread_mutex_unlock(&lock);
  return unused;
}
static void looked_before(void) { run(counts, looks_and_goes_on); }

// One thread finds the lock taken at each attempt; the look-alikes: two that give way to each other, and one that
// changes what lies beside the lock.
static void* tries(void* unused) {
  while (pthread_mutex_trylock(&lock) != 0) sched_yield();
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* takes_again_and_again(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    sched_yield();
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
static void starves(void) { run(takes_again_and_again, tries); }
static struct {
  _Alignas(8) atomic_int taken;
  atomic_int beat;
} pair = {1, 0};
static void* tries_word(void* unused) {
  for (int free = 0; !atomic_compare_exchange_strong(&pair.taken, &free, 1); free = 0) sched_yield();
  return unused;
}
static void* beats(void* unused) {
  while (atomic_load(&pair.taken) != 0) {
    atomic_fetch_xor(&pair.beat, 1);
    sched_yield();
  }
  return unused;
}
static void beats_beside(void) { run(tries_word, beats); }
static void back_off(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  while (pthread_mutex_trylock(second) != 0) {
    pthread_mutex_unlock(first);
    sched_yield();
    pthread_mutex_lock(first);
  }
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void* backs_off(void* unused) {
  back_off(&lock, &other_lock);
  return unused;
}
static void* backs_off_from_the_other_side(void* unused) {
  back_off(&other_lock, &lock);
  return unused;
}
static void both_back_off(void) { run(backs_off, backs_off_from_the_other_side); }

static const struct {
  const char* name;
  void (*run)(void);
} kCases[] = {
    {"inversion", inversion},
    {"joins_under_lock", joins_under_lock},
    {"twice", twice},
    {"kept", kept},
    {"nested_wait", nested_wait},
    {"wrong_condition", wrong_condition},
    {"lost", lost},
    {"early", early},
    {"wrong_waiter", wrong_waiter},
    {"one_signal_for_two", one_signal_for_two},
    {"sections", sections},
    {"order", order},
    {"accesses", accesses},
    {"updates", updates},
    {"came_back", came_back},
    {"changed_for_good", changed_for_good},
    {"freed_twice", freed_twice},
    {"freed_beside", freed_beside},
    {"not_joined", not_joined},
    {"half_locked", half_locked},
    {"unlocked", unlocked},
    {"unlocked_by_another", unlocked_by_another},
    {"unlocked_by_nobody", unlocked_by_nobody},
    {"used_early", used_early},
    {"cleared_early", cleared_early},
    {"starves", starves},
    {"both_back_off", both_back_off},
    {"looked_before", looked_before},
    {"beats_beside", beats_beside},
};

int main(int count, char** arguments) {
  for (unsigned i = 0; count > 1 && i < sizeof kCases / sizeof *kCases; ++i)
    if (strcmp(kCases[i].name, arguments[1]) == 0) {
      kCases[i].run();
      return 0;
    }
  return 2;
}
