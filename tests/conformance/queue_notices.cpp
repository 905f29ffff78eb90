// mq_notify.
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>

#include "check.h"

namespace {

volatile sig_atomic_t handled;
siginfo_t seen;
mqd_t queue;
sem_t told;
int told_value;

void note(int number, siginfo_t* information, void*) {
  handled = handled + 1;
  seen = *information;
  (void)number;
}

void be_told(sigval value) {
  told_value = value.sival_int;
  sem_post(&told);
}

sigevent notice(int how, int value) {
  sigevent event = {};
  event.sigev_notify = how;
  event.sigev_signo = SIGUSR1;
  event.sigev_value.sival_int = value;
  if (how == SIGEV_THREAD) event.sigev_notify_function = be_told;
  return event;
}

void send_one() {
  if (mq_send(queue, "x", 2, 0) != 0) abort();
}

void receive_one() {
  char text[16];
  if (mq_receive(queue, text, sizeof text, nullptr) != 2) abort();
}

void check_registration() {
  const sigevent silent = notice(SIGEV_NONE, 0);
  sigevent wrong = silent;
  ERRNO_OF("mq_notify", "withdraws, nobody is registered", 0, mq_notify(queue, nullptr));
  ERRNO_OF("mq_notify", "SIGEV_NONE", 0, mq_notify(queue, &silent));
  ERRNO_OF("mq_notify", "somebody is registered", EBUSY, mq_notify(queue, &silent));
  ERRNO_OF("mq_notify", "withdraws", 0, mq_notify(queue, nullptr));
  ERRNO_OF("mq_notify", "withdrawn before", 0, mq_notify(queue, &silent));
  send_one();
  ERRNO_OF("mq_notify", "a message has come: the registration is gone", 0, mq_notify(queue, nullptr));
  receive_one();
  ERRNO_OF("mq_notify", "a closed descriptor", EBADF, mq_notify(kMinusOne, &silent));
  ERRNO_OF("mq_notify", "no queue", EBADF, mq_notify(STDOUT_FILENO, &silent));
  wrong.sigev_notify = 77;
  ERRNO_OF("mq_notify", "no such way", EINVAL, mq_notify(queue, &wrong));
  wrong = notice(SIGEV_SIGNAL, 0);
  wrong.sigev_signo = 1000;
  ERRNO_OF("mq_notify", "no such signal", EINVAL, mq_notify(queue, &wrong));
}

void check_signal() {
  struct sigaction action = {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, nullptr);
  sigevent event = notice(SIGEV_SIGNAL, 31);
  mq_notify(queue, &event);
  VALUE_OF("mq_notify", "SIGEV_SIGNAL, no message yet: handlers that have run", 0, handled);
  send_one();
  VALUE_OF("mq_notify", "SIGEV_SIGNAL, a message: handlers that have run", 1, handled);
  VALUE_OF("mq_notify", "SIGEV_SIGNAL: the code", SI_MESGQ, seen.si_code);
  VALUE_OF("mq_notify", "SIGEV_SIGNAL: the value", 31, seen.si_value.sival_int);
  HOLDS("mq_notify", "SIGEV_SIGNAL: the process that has sent the message", seen.si_pid == getpid());
  receive_one();
  send_one();
  VALUE_OF("mq_notify", "once only: handlers that have run", 1, handled);
  ERRNO_OF("mq_notify", "after the notice, again", 0, mq_notify(queue, &event));
  send_one();
  VALUE_OF("mq_notify", "the queue was not empty: handlers that have run", 1, handled);
  receive_one(), receive_one();
  send_one();
  VALUE_OF("mq_notify", "empty again, then a message: handlers that have run", 2, handled);
  receive_one();
  mq_notify(queue, &event);
  mq_notify(queue, nullptr);
  send_one();
  VALUE_OF("mq_notify", "withdrawn: handlers that have run", 2, handled);
  receive_one();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  mq_notify(queue, &event);
  send_one();
  siginfo_t information;
  VALUE_OF("sigwaitinfo", "the notice of a queue", SIGUSR1, sigwaitinfo(&set, &information));
  VALUE_OF("sigwaitinfo", "the notice of a queue: the code", SI_MESGQ, information.si_code);
  receive_one();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void check_thread() {
  sem_init(&told, 0, 0);
  sigevent event = notice(SIGEV_THREAD, 41);
  ERRNO_OF("mq_notify", "SIGEV_THREAD", 0, mq_notify(queue, &event));
  ERRNO_OF("mq_notify", "SIGEV_THREAD, somebody is registered", EBUSY, mq_notify(queue, &event));
  VALUE_OF("mq_notify", "SIGEV_THREAD, another thread sends", 0, elsewhere([] { return mq_send(queue, "x", 2, 0); }));
  sem_wait(&told);
  VALUE_OF("mq_notify", "SIGEV_THREAD: the value", 41, told_value);
  ERRNO_OF("mq_notify", "SIGEV_THREAD: once only", 0, mq_notify(queue, &event));
  mq_notify(queue, nullptr);
  receive_one();
  sem_destroy(&told);
}

}  // namespace

int main() {
  begin_checks();
  char name[40];
  snprintf(name, sizeof name, "/heddle_notices_%d", getpid());
  mq_attr attributes = {};
  attributes.mq_maxmsg = 3;
  attributes.mq_msgsize = 16;
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  mq_unlink(name);
  check_registration();
  check_signal();
  check_thread();
  mq_close(queue);
  return end_checks();
}
