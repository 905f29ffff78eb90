// What the conformance programs share. A check is one function, one condition and one documented result; it prints
// "function: condition: what was seen", and the documented result where that is another. README.md has the rules.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// For functions that return 0 or an error number.
#define ERROR_OF(function, condition, documented, ...) \
  say(function, condition, error_name(__VA_ARGS__), error_name(documented))
// For functions that return -1 and set errno. The documented result is 0 or an error number.
#define ERRNO_OF(function, condition, documented, ...) \
  say(function, condition, error_name((errno = 0, (long)(__VA_ARGS__) == -1) ? errno : 0), error_name(documented))
#define VALUE_OF(function, condition, documented, ...) \
  say_number(function, condition, (long)(__VA_ARGS__), (long)(documented))
// Something that the documentation says will hold.
#define HOLDS(function, condition, ...) say(function, condition, (__VA_ARGS__) ? "yes" : "no", "yes")

static inline const char* error_name(int error) {
  static char unknown[2][32];
  static int next;
  const char* name = error == 0 ? "0" : strerrorname_np(error);
  if (name != NULL) return name;
  next = 1 - next;
  snprintf(unknown[next], sizeof unknown[next], "error %d", error);
  return unknown[next];
}

static inline void say(const char* function, const char* condition, const char* seen, const char* documented) {
  printf("%s: %s: %s", function, condition, seen);
  if (strcmp(seen, documented) != 0) printf(" [documented: %s]", documented);
  putchar('\n');
  fflush(stdout);
}

static inline void say_number(const char* function, const char* condition, long seen, long documented) {
  char one[24], other[24];
  snprintf(one, sizeof one, "%ld", seen);
  snprintf(other, sizeof other, "%ld", documented);
  say(function, condition, one, other);
}

// Wrong arguments, in a way that the compiler does not see.
static void* volatile kWild __attribute__((unused)) = (void*)16;
static volatile int kMinusOne __attribute__((unused)) = -1;

static inline void* nothing(void* argument) { return argument; }

// From here on the program has had a second thread, so that under Heddle every call is a step of an execution.
static inline void begin_checks(void) {
  pthread_t thread;
  puts("== begin");
  fflush(stdout);
  if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0) abort();
}

static inline int end_checks(void) {
  puts("== end");
  fflush(stdout);
  return 0;
}

static inline struct timespec after_ms(clockid_t clock, long ms) {
  struct timespec time;
  clock_gettime(clock, &time);
  const long long at = time.tv_sec * 1000000000LL + time.tv_nsec + ms * 1000000LL;
  time.tv_sec = at / 1000000000;
  time.tv_nsec = at % 1000000000;
  return time;
}

static inline long long now_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static const struct timespec kNegativeNanoseconds = {0, -1};
static const struct timespec kTooManyNanoseconds = {0, 1000000000};
static const struct timespec kLongAgo = {1, 0};

#ifdef __cplusplus
#include <initializer_list>

// A thread that runs a function object and gives its int; joined by result().
template <class Function>
class Thread {
 public:
  explicit Thread(Function function) : function_(function) {
    if (pthread_create(&handle_, nullptr, run, this) != 0) abort();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  int result() {
    if (pthread_join(handle_, nullptr) != 0) abort();
    return result_;
  }
  pthread_t handle() const { return handle_; }

 private:
  static void* run(void* self) {
    auto* own = static_cast<Thread*>(self);
    own->result_ = own->function_();
    return nullptr;
  }
  Function function_;
  pthread_t handle_{};
  int result_ = -1;
};

// What a call gives in another thread.
template <class Function>
int elsewhere(Function function) {
  return Thread<Function>(function).result();
}

// A signal from one thread to another that has no timing: up once, for good.
class Gate {
 public:
  Gate() { sem_init(&semaphore_, 0, 0); }
  ~Gate() { sem_destroy(&semaphore_); }
  void open() { sem_post(&semaphore_); }
  void pass() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) continue;
    sem_post(&semaphore_);
  }

 private:
  sem_t semaphore_{};
};
#endif
