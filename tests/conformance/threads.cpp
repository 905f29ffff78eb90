// Threads: creation, joining, detaching, ending, names.
#include "check.h"

namespace {

void check_create() {
  pthread_t thread, other;
  int value = 0;
  ERROR_OF("pthread_create", "default attributes", 0,
           pthread_create(
               &thread, nullptr,
               [](void* at) {
                 *static_cast<int*>(at) = 7;
                 return at;
               },
               &value));
  void* result = nullptr;
  ERROR_OF("pthread_join", "joinable thread", 0, pthread_join(thread, &result));
  HOLDS("pthread_join", "gives what the thread returned", result == &value);
  VALUE_OF("pthread_create", "the function got its argument", 7, value);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  ERROR_OF("pthread_create", "with a stack size", 0, pthread_create(&thread, &attributes, nothing, nullptr));
  ERROR_OF("pthread_create", "a second one meanwhile", 0, pthread_create(&other, &attributes, nothing, &value));
  HOLDS("pthread_equal", "two threads", pthread_equal(thread, other) == 0);
  HOLDS("pthread_equal", "a thread and itself", pthread_equal(thread, thread) != 0);
  ERROR_OF("pthread_join", "the result is not wanted", 0, pthread_join(thread, nullptr));
  ERROR_OF("pthread_join", "the second thread", 0, pthread_join(other, &result));
  HOLDS("pthread_join", "gives the second thread's result", result == &value);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_destroy(&attributes);
}

void check_self() {
  static pthread_t seen;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        seen = pthread_self();
        return nullptr;
      },
      nullptr);
  const pthread_t created = thread;
  pthread_join(thread, nullptr);
  HOLDS("pthread_self", "in the thread as pthread_create gave it", pthread_equal(seen, created) != 0);
  HOLDS("pthread_self", "main is another", pthread_equal(seen, pthread_self()) == 0);
  static pthread_t (*volatile self)() = pthread_self;  // its header promises the compiler that once is enough
  HOLDS("pthread_self", "the same each time", pthread_equal(self(), self()) != 0);
  static pid_t inside;
  elsewhere([] { return inside = gettid(), 0; });
  HOLDS("gettid", "differs between threads", inside != gettid());
  HOLDS("gettid", "the main thread's is the process id", gettid() == getpid());
  HOLDS("gettid", "the same in a thread each time", elsewhere([] { return gettid() == gettid(); }) == 1);
}

void* exits_with(void* value) { pthread_exit(value); }

struct Noted {
  ~Noted() { ++count; }
  static int count;
};
int Noted::count = 0;

void deeper() {
  const Noted noted;
  pthread_exit(&Noted::count);
}

void check_exit() {
  static int place;
  pthread_t thread;
  void* result = nullptr;
  pthread_create(&thread, nullptr, exits_with, &place);
  pthread_join(thread, &result);
  HOLDS("pthread_exit", "the value is what join gives", result == &place);
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        deeper();
        return nullptr;
      },
      nullptr);
  pthread_join(thread, &result);
  HOLDS("pthread_exit", "from a called function", result == &Noted::count);
  VALUE_OF("pthread_exit", "destructors of C++ objects run", 1, Noted::count);
  static int cleaned;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_cleanup_push([](void*) { cleaned = cleaned * 10 + 1; }, nullptr);
        pthread_cleanup_push([](void*) { cleaned = cleaned * 10 + 2; }, nullptr);
        pthread_exit(nullptr);
        pthread_cleanup_pop(0);
        pthread_cleanup_pop(0);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
  VALUE_OF("pthread_exit", "cleanup handlers run, last first", 21, cleaned);
}

void check_join_errors() {
  ERROR_OF("pthread_join", "itself", EDEADLK, pthread_join(pthread_self(), nullptr));
  Gate go;
  Thread waiting([&] { return go.pass(), 0; });
  ERROR_OF("pthread_tryjoin_np", "the thread has not ended", EBUSY, pthread_tryjoin_np(waiting.handle(), nullptr));
  timespec soon = after_ms(CLOCK_REALTIME, 5);
  ERROR_OF("pthread_timedjoin_np", "not ended at the deadline", ETIMEDOUT,
           pthread_timedjoin_np(waiting.handle(), nullptr, &soon));
  ERROR_OF("pthread_timedjoin_np", "a deadline long ago", ETIMEDOUT,
           pthread_timedjoin_np(waiting.handle(), nullptr, &kLongAgo));
  soon = after_ms(CLOCK_MONOTONIC, 5);
  ERROR_OF("pthread_clockjoin_np", "not ended at the deadline", ETIMEDOUT,
           pthread_clockjoin_np(waiting.handle(), nullptr, CLOCK_MONOTONIC, &soon));
  ERROR_OF("pthread_clockjoin_np", "no such clock", EINVAL, pthread_clockjoin_np(waiting.handle(), nullptr, 77, &soon));
  ERROR_OF("pthread_clockjoin_np", "processor time", EINVAL,
           pthread_clockjoin_np(waiting.handle(), nullptr, CLOCK_PROCESS_CPUTIME_ID, &soon));
  go.open();
  waiting.result();
}

void check_late_joins() {
  pthread_t thread;
  int error;
  pthread_create(&thread, nullptr, nothing, &error);
  void* result = nullptr;
  while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY) sched_yield();
  ERROR_OF("pthread_tryjoin_np", "the thread has ended", 0, error);
  HOLDS("pthread_tryjoin_np", "gives the result", result == &error);
  pthread_create(&thread, nullptr, nothing, &error);
  timespec later = after_ms(CLOCK_REALTIME, 60000);
  ERROR_OF("pthread_timedjoin_np", "ends before the deadline", 0, pthread_timedjoin_np(thread, &result, &later));
  pthread_create(&thread, nullptr, nothing, &error);
  ERROR_OF("pthread_timedjoin_np", "no deadline", 0, pthread_timedjoin_np(thread, &result, nullptr));
  pthread_create(&thread, nullptr, nothing, &error);
  later = after_ms(CLOCK_MONOTONIC, 60000);
  ERROR_OF("pthread_clockjoin_np", "ends before the deadline", 0,
           pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &later));
}

void check_detach() {
  static Gate go, done;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        go.pass();
        done.open();
        return nullptr;
      },
      nullptr);
  ERROR_OF("pthread_detach", "joinable thread", 0, pthread_detach(thread));
  go.open();
  done.pass();
  ERROR_OF("pthread_detach", "itself", 0, elsewhere([] {
             static Gate ended;
             pthread_t own;
             static int error;
             pthread_create(
                 &own, nullptr,
                 [](void*) -> void* {
                   error = pthread_detach(pthread_self());
                   ended.open();
                   return nullptr;
                 },
                 nullptr);
             ended.pass();
             return error;
           }));
  static Gate last;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        last.open();
        return nullptr;
      },
      nullptr);
  last.pass();
  ERROR_OF("pthread_detach", "a thread at its end", 0, pthread_detach(thread));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  static Gate started;
  ERROR_OF("pthread_create", "detached", 0,
           pthread_create(
               &thread, &attributes,
               [](void*) -> void* {
                 started.open();
                 return nullptr;
               },
               nullptr));
  started.pass();
  pthread_attr_destroy(&attributes);
}

void check_names() {
  char name[16];
  ERROR_OF("pthread_setname_np", "fifteen characters", 0, pthread_setname_np(pthread_self(), "fifteen letters"));
  ERROR_OF("pthread_getname_np", "of itself", 0, pthread_getname_np(pthread_self(), name, sizeof name));
  HOLDS("pthread_getname_np", "the name that was set", strcmp(name, "fifteen letters") == 0);
  ERROR_OF("pthread_setname_np", "sixteen characters", ERANGE, pthread_setname_np(pthread_self(), "sixteen letters!"));
  ERROR_OF("pthread_getname_np", "a buffer of fifteen", ERANGE, pthread_getname_np(pthread_self(), name, 15));
  HOLDS("pthread_getname_np", "a thread inherits it", elsewhere([] {
          char own[16];
          pthread_getname_np(pthread_self(), own, sizeof own);
          return strcmp(own, "fifteen letters") == 0;
        }));
  Gate go;
  Thread waiting([&] { return go.pass(), 0; });
  ERROR_OF("pthread_setname_np", "of another thread", 0, pthread_setname_np(waiting.handle(), "another"));
  ERROR_OF("pthread_getname_np", "of another thread", 0, pthread_getname_np(waiting.handle(), name, sizeof name));
  HOLDS("pthread_getname_np", "another thread's name", strcmp(name, "another") == 0);
  go.open();
  waiting.result();
  ERROR_OF("pthread_setname_np", "an empty name", 0, pthread_setname_np(pthread_self(), ""));
}

}  // namespace

int main() {
  begin_checks();
  check_create();
  check_self();
  check_exit();
  check_join_errors();
  check_late_joins();
  check_detach();
  check_names();
  return end_checks();
}
