// Two messages to a queue that is read when it tells of messages; REGISTERS_FIRST: before it is read, or after that.
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static mqd_t queue;
static sem_t received;

static void ask(void);

static void empty_queue(void) {
  char text[8];
  while (mq_receive(queue, text, sizeof text, NULL) >= 0) sem_post(&received);
}

static void on_message(union sigval unused) {
  (void)unused;
  if (REGISTERS_FIRST) ask();
  empty_queue();
  if (!REGISTERS_FIRST) ask();
}

static void ask(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_message;
  mq_notify(queue, &event);
}

static void* send_two(void* unused) {
  for (int i = 0; i < 2; ++i) assert(mq_send(queue, "x", 2, 0) == 0);
  return unused;
}

static void* run(void* unused) {
  char name[40];
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
  pthread_t thread;
  snprintf(name, sizeof name, "/heddle_notice_%d", getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &attributes);
  assert(queue >= 0);
  mq_unlink(name);
  ask();
  pthread_create(&thread, NULL, send_two, NULL);
  for (int i = 0; i < 2; ++i) sem_wait(&received);
  pthread_join(thread, NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&received, 0, 0);
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
