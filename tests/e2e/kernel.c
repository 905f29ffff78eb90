// An operating system for one processor that runs as a process, built as the simulators of real ones are: each task is
// a thread that waits for its turn, a tick is a signal to the task whose turn it is, and interrupts are off while that
// signal is blocked.
//
//   kernel lost|order|fine     four tasks, a queue, a software timer; `lost` loses an update, `order` takes two locks
//   in
//                              two orders
//   kernel many                60 tasks
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostTasks = 70, kIdle = 0, kNobody = -1, kQueueRoom = 4 };

// --- the kernel

typedef enum { kReady, kDelayed, kBlocked, kEnded } State;
typedef struct {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t turn;
  bool may_run;
  void (*run)(void*);
  void* argument;
  State state;
  unsigned wake_at;
  const void* waits_for;
} Task;

static Task tasks[kMostTasks];
static int task_count, current = kIdle;
static unsigned ticks;
static volatile bool ticking;
static pthread_t ticker;
static sem_t end;

static void (*timer_function)(void);
static unsigned timer_at;

static void interrupts(int how) {
  sigset_t tick;
  sigemptyset(&tick);
  sigaddset(&tick, SIGALRM);
  pthread_sigmask(how, &tick, NULL);
}
static void enter(void) { interrupts(SIG_BLOCK); }
static void leave(void) { interrupts(SIG_UNBLOCK); }

static void let_run(Task* task) {
  pthread_mutex_lock(&task->mutex);
  task->may_run = true;
  pthread_cond_signal(&task->turn);
  pthread_mutex_unlock(&task->mutex);
}

static void wait_for_turn(Task* task) {
  pthread_mutex_lock(&task->mutex);
  while (!task->may_run) pthread_cond_wait(&task->turn, &task->mutex);
  task->may_run = false;
  pthread_mutex_unlock(&task->mutex);
}

// With interrupts off: the next ready task's turn, the idle task's if there is none.
static void schedule(void) {
  const int before = current;
  int next = kIdle;
  for (int i = 1; i <= task_count && next == kIdle; ++i) {
    const int one = (before + i) % task_count;
    if (one != kIdle && tasks[one].state == kReady) next = one;
  }
  if (next == before) return;
  current = next;
  let_run(&tasks[next]);
  if (tasks[before].state != kEnded) wait_for_turn(&tasks[before]);
}

static void wake_all(const void* what) {
  for (int i = 0; i < task_count; ++i)
    if (tasks[i].state == kBlocked && tasks[i].waits_for == what) tasks[i].state = kReady;
}

static void block(const void* what) {
  tasks[current].state = kBlocked;
  tasks[current].waits_for = what;
  schedule();
}

static void on_tick(int signal) {
  (void)signal;
  ++ticks;
  for (int i = 0; i < task_count; ++i)
    if (tasks[i].state == kDelayed && tasks[i].wake_at <= ticks) tasks[i].state = kReady;
  if (timer_function != NULL && timer_at <= ticks) {
    void (*const function)(void) = timer_function;
    timer_function = NULL;
    function();
  }
  schedule();
}

static void* tick(void* none) {
  while (ticking) {
    pthread_kill(tasks[current].thread, SIGALRM);
    usleep(1000);
  }
  return none;
}

static void* run_task(void* argument) {
  Task* const task = argument;
  wait_for_turn(task);
  leave();
  task->run(task->argument);
  enter();
  task->state = kEnded;
  schedule();
  return NULL;
}

static void create(void (*run)(void*), void* argument) {
  Task* const task = &tasks[task_count++];
  pthread_mutex_init(&task->mutex, NULL);
  pthread_cond_init(&task->turn, NULL);
  task->run = run;
  task->argument = argument;
  pthread_create(&task->thread, NULL, run_task, task);
}

static void idle(void* none) {
  (void)none;
  for (;;) usleep(15000);
}

static void shut_down(void) {
  ticking = false;
  pthread_join(ticker, NULL);
  sem_post(&end);
}

// Returns after shut_down().
static void boot(void) {
  struct sigaction action = {.sa_handler = on_tick};
  sigaction(SIGALRM, &action, NULL);
  sem_init(&end, 0, 0);
  ticking = true;
  pthread_create(&ticker, NULL, tick, NULL);
  let_run(&tasks[current]);
  while (sem_wait(&end) != 0) {
  }
}

// --- what it offers

typedef struct {
  int owner;
} Lock;
static void take(Lock* lock) {
  enter();
  while (lock->owner != kNobody) block(lock);
  lock->owner = current;
  leave();
}
static void give(Lock* lock) {
  enter();
  lock->owner = kNobody;
  wake_all(lock);
  leave();
}

typedef struct {
  int items[kQueueRoom], count;
} Queue;
// From a handler, too. Without waiting: an item for which there is no room is lost.
static void send(Queue* queue, int item) {
  if (queue->count < kQueueRoom) queue->items[queue->count++] = item;
  wake_all(queue);
}
static int receive(Queue* queue) {
  enter();
  while (queue->count == 0) block(queue);
  const int item = queue->items[0];
  --queue->count;
  memmove(queue->items, queue->items + 1, sizeof(int) * (size_t)queue->count);
  leave();
  return item;
}

// --- the application

static Lock left = {kNobody}, right = {kNobody}, console = {kNobody};
static Queue alarms, done;
static volatile int hits;
static bool loses, crosses;
static int expected_hits, workers;

static void say(void) {
  take(&console);
  give(&console);
}

static void finish(void) {
  enter();
  send(&done, 1);
  leave();
}

static void hit(void* none) {
  (void)none;
  if (loses) {
    const int before = hits;
    say();
    hits = before + 1;
  } else {
    say();
    enter();
    ++hits;
    leave();
  }
  finish();
}

static void both(Lock* first, Lock* second) {
  take(first);
  say();
  take(second);
  give(second);
  give(first);
  finish();
}
static void left_first(void* none) {
  (void)none;
  both(&left, &right);
}
static void right_first(void* none) {
  (void)none;
  both(crosses ? &right : &left, crosses ? &left : &right);
}

static void on_timer(void) { send(&alarms, 1); }

static void supervise(void* none) {
  (void)none;
  receive(&alarms);
  for (int i = 0; i < workers; ++i) receive(&done);
  if (hits != expected_hits) _exit(3);
  shut_down();
}

static void hit_alone(void* none) {
  (void)none;
  enter();
  ++hits;
  leave();
}

static void supervise_many(void* none) {
  (void)none;
  for (;;) {
    enter();
    const bool all = hits == expected_hits;
    if (!all) {
      tasks[current].state = kDelayed;
      tasks[current].wake_at = ticks + 2;
      schedule();
    }
    leave();
    if (all) break;
  }
  shut_down();
}

int main(int count, char** words) {
  if (count < 2) return 2;
  const bool many = strcmp(words[1], "many") == 0;
  loses = strcmp(words[1], "lost") == 0;
  crosses = strcmp(words[1], "order") == 0;
  enter();
  create(idle, NULL);
  if (many) {
    expected_hits = 60;
    for (int i = 0; i < expected_hits; ++i) create(hit_alone, NULL);
    create(supervise_many, NULL);
  } else {
    expected_hits = 2;
    workers = 4;
    create(hit, NULL);
    create(hit, NULL);
    create(left_first, NULL);
    create(right_first, NULL);
    create(supervise, NULL);
    timer_function = on_timer;
    timer_at = 5;
  }
  boot();
  printf("%d hits\n", hits);
  return 0;
}
