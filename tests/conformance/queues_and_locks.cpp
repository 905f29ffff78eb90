// Message queues, System V objects and locks of files.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "check.h"

namespace {

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

mqd_t queue;

void check_posix_queue() {
  char name[64], text[64];
  snprintf(name, sizeof name, "/heddle-conformance-%d", static_cast<int>(getpid()));
  mq_attr attributes = {};
  attributes.mq_maxmsg = 2;
  attributes.mq_msgsize = 16;
  ERRNO_OF("mq_open", "not there", ENOENT, mq_open(name, O_RDWR));
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  HOLDS("mq_open", "a new one", queue >= 0);
  ERRNO_OF("mq_open", "a new one, but it is there", EEXIST,
           mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes));
  ERRNO_OF("mq_unlink", "there", 0, mq_unlink(name));
  ERRNO_OF("mq_unlink", "not there", ENOENT, mq_unlink(name));
  unsigned priority = 0;
  const timespec past = {1, 0};
  ERRNO_OF("mq_timedreceive", "empty, deadline long ago", ETIMEDOUT,
           mq_timedreceive(queue, text, 64, &priority, &past));
  ERRNO_OF("mq_send", "a message", 0, mq_send(queue, "low", 4, 1));
  ERRNO_OF("mq_send", "a second message", 0, mq_send(queue, "high", 5, 9));
  ERRNO_OF("mq_timedsend", "full, deadline long ago", ETIMEDOUT, mq_timedsend(queue, "x", 1, 0, &past));
  ERRNO_OF("mq_send", "a message that is too long", EMSGSIZE, mq_send(queue, text, 40, 0));
  ERRNO_OF("mq_receive", "a buffer that is too small", EMSGSIZE, mq_receive(queue, text, 8, nullptr));
  VALUE_OF("mq_receive", "the highest priority first", 5, mq_receive(queue, text, 64, &priority));
  VALUE_OF("mq_receive", "its priority", 9, priority);
  VALUE_OF("mq_receive", "then the other", 4, mq_receive(queue, text, 64, &priority));
  ERRNO_OF("mq_getattr", "an empty queue", 0, mq_getattr(queue, &attributes));
  VALUE_OF("mq_getattr", "messages in it", 0, attributes.mq_curmsgs);
  ERRNO_OF("mq_getattr", "no descriptor", EBADF, mq_getattr(kMinusOne, &attributes));
  ERRNO_OF("mq_getattr", "no queue", EBADF, mq_getattr(STDOUT_FILENO, &attributes));
  mq_attr before = {}, wanted = {};
  wanted.mq_flags = O_NONBLOCK;
  ERRNO_OF("mq_setattr", "calls that don't wait", 0, mq_setattr(queue, &wanted, &before));
  VALUE_OF("mq_setattr", "how it was", 0, before.mq_flags);
  ERRNO_OF("mq_receive", "empty, not to wait", EAGAIN, mq_receive(queue, text, 64, nullptr));
  ERRNO_OF("mq_getattr", "of such a queue", 0, mq_getattr(queue, &attributes));
  VALUE_OF("mq_getattr", "its flags", O_NONBLOCK, attributes.mq_flags);
  wanted.mq_flags = O_APPEND;
  ERRNO_OF("mq_setattr", "a flag that queues don't have", EINVAL, mq_setattr(queue, &wanted, nullptr));
  wanted.mq_flags = 0;
  ERRNO_OF("mq_setattr", "calls that wait", 0, mq_setattr(queue, &wanted, nullptr));
  ERRNO_OF("mq_setattr", "no descriptor", EBADF, mq_setattr(kMinusOne, &wanted, nullptr));
  Thread receiver([] {
    char own[64];
    return static_cast<int>(mq_receive(queue, own, 64, nullptr));
  });
  sched_yield();
  mq_send(queue, "late", 5, 0);
  VALUE_OF("mq_receive", "waits until another thread sends", 5, receiver.result());
  mq_send(queue, "1", 2, 0), mq_send(queue, "2", 2, 0);
  Thread sender([] { return mq_send(queue, "3", 2, 0); });
  sched_yield();
  mq_receive(queue, text, 64, nullptr);
  ERRNO_OF("mq_send", "full, waits until another thread receives", 0, sender.result());
  ERRNO_OF("mq_close", "open", 0, mq_close(queue));
  ERRNO_OF("mq_close", "closed before", EBADF, mq_close(queue));
  ERRNO_OF("mq_close", "no descriptor", EBADF, mq_close(kMinusOne));
  ERRNO_OF("mq_send", "closed before", EBADF, mq_send(queue, "x", 1, 0));
  ERRNO_OF("mq_receive", "closed before", EBADF, mq_receive(queue, text, 64, nullptr));
}

struct Message {
  long type;
  char text[8];
};

void check_messages() {
  static int id = msgget(IPC_PRIVATE, 0600);
  HOLDS("msgget", "a private one", id >= 0);
  Message message = {2, "two"};
  ERRNO_OF("msgrcv", "empty, not to wait", ENOMSG, msgrcv(id, &message, 8, 0, IPC_NOWAIT));
  ERRNO_OF("msgsnd", "a message", 0, (message = {2, "two"}, msgsnd(id, &message, 4, 0)));
  ERRNO_OF("msgsnd", "type 0", EINVAL, (message = {0, "none"}, msgsnd(id, &message, 4, 0)));
  ERRNO_OF("msgrcv", "another type, not to wait", ENOMSG, msgrcv(id, &message, 8, 5, IPC_NOWAIT));
  ERRNO_OF("msgrcv", "a buffer that is too small", E2BIG, msgrcv(id, &message, 1, 0, 0));
  VALUE_OF("msgrcv", "by type", 4, msgrcv(id, &message, 8, 2, 0));
  Thread receiver([] {
    Message own;
    return static_cast<int>(msgrcv(id, &own, 8, 0, 0));
  });
  sched_yield();
  message = {1, "abc"};
  msgsnd(id, &message, 3, 0);
  VALUE_OF("msgrcv", "waits until another thread sends", 3, receiver.result());
  msqid_ds about = {};
  ERRNO_OF("msgctl", "tell", 0, msgctl(id, IPC_STAT, &about));
  VALUE_OF("msgctl", "tells how many messages there are", 0, about.msg_qnum);
  ERRNO_OF("msgctl", "no such command", EINVAL, msgctl(id, 9999, nullptr));
  ERRNO_OF("msgctl", "remove", 0, msgctl(id, IPC_RMID, nullptr));
  ERRNO_OF("msgsnd", "removed", EINVAL, msgsnd(id, &message, 3, 0));
  ERRNO_OF("msgget", "not there", ENOENT, msgget(0x12345678, 0600));
}

void check_semaphores() {
  static int id = semget(IPC_PRIVATE, 2, 0600);
  HOLDS("semget", "a private set of two", id >= 0);
  ERRNO_OF("semctl", "set a value", 0, semctl(id, 0, SETVAL, 1));
  VALUE_OF("semctl", "get a value", 1, semctl(id, 0, GETVAL));
  sembuf take = {0, -1, IPC_NOWAIT}, give = {0, 1, 0}, far = {9, 1, 0};
  ERRNO_OF("semop", "take one of one", 0, semop(id, &take, 1));
  ERRNO_OF("semop", "take one of none, not to wait", EAGAIN, semop(id, &take, 1));
  ERRNO_OF("semop", "no such number", EFBIG, semop(id, &far, 1));
  const timespec moment = {0, 3000000};
  take.sem_flg = 0;
  ERRNO_OF("semtimedop", "take one of none until the time is over", EAGAIN, semtimedop(id, &take, 1, &moment));
  Thread taker([] {
    sembuf own = {0, -1, 0};
    return semop(id, &own, 1);
  });
  sched_yield();
  ERRNO_OF("semop", "give one", 0, semop(id, &give, 1));
  ERRNO_OF("semop", "waits until another thread gives", 0, taker.result());
  ERRNO_OF("semctl", "remove", 0, semctl(id, 0, IPC_RMID));
  ERRNO_OF("semop", "removed", EINVAL, semop(id, &give, 1));
}

void check_flock() {
  char name[] = "/tmp/heddle-conformance-XXXXXX";
  static int first = mkstemp(name);
  static int second = open(name, O_RDWR);
  unlink(name);
  ERRNO_OF("flock", "free", 0, flock(first, LOCK_EX));
  ERRNO_OF("flock", "held by the same open file", 0, flock(first, LOCK_EX | LOCK_NB));
  ERRNO_OF("flock", "held by another open file, not to wait", EAGAIN, flock(second, LOCK_EX | LOCK_NB));
  Thread waiter([] { return flock(second, LOCK_EX); });
  sched_yield();
  ERRNO_OF("flock", "unlock, a thread waits", 0, flock(first, LOCK_UN));
  ERRNO_OF("flock", "waits until another thread unlocks", 0, waiter.result());
  flock(second, LOCK_UN);
  flock(first, LOCK_SH);
  ERRNO_OF("flock", "shared with another", 0, flock(second, LOCK_SH | LOCK_NB));
  ERRNO_OF("flock", "exclusive, shared by another", EAGAIN, flock(second, LOCK_EX | LOCK_NB));
  ERRNO_OF("flock", "no such operation", EINVAL, flock(first, 77));
  ERRNO_OF("flock", "no descriptor", EBADF, flock(-1, LOCK_EX));
  struct flock lock = {};
  lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET, lock.l_len = 10;
  ERRNO_OF("fcntl", "lock a part", 0, fcntl(first, F_SETLK, &lock));
  pid_t child = fork();
  if (child == 0) {
    struct flock own = {};
    own.l_type = F_WRLCK, own.l_whence = SEEK_SET, own.l_start = 5, own.l_len = 1;
    const bool refused = fcntl(second, F_SETLK, &own) == -1 && (errno == EAGAIN || errno == EACCES);
    own.l_start = 20;
    _exit(refused && fcntl(second, F_SETLK, &own) == 0 ? 0 : 1);
  }
  VALUE_OF("fcntl", "locked by the parent; another part is free", 0, status_of(child));
  struct flock open_file = {};
  open_file.l_type = F_WRLCK, open_file.l_whence = SEEK_SET, open_file.l_start = 100, open_file.l_len = 1;
  ERRNO_OF("fcntl", "lock of an open file", 0, fcntl(first, F_OFD_SETLK, &open_file));
  ERRNO_OF("fcntl", "lock of an open file, held by another", EAGAIN, fcntl(second, F_OFD_SETLK, &open_file));
  Thread ofd([] {
    struct flock own = {};
    own.l_type = F_WRLCK, own.l_whence = SEEK_SET, own.l_start = 100, own.l_len = 1;
    return fcntl(second, F_OFD_SETLKW, &own);
  });
  sched_yield();
  open_file.l_type = F_UNLCK;
  fcntl(first, F_OFD_SETLK, &open_file);
  ERRNO_OF("fcntl", "lock of an open file, waits until another thread unlocks", 0, ofd.result());
  ERRNO_OF("lockf", "a part", 0, lockf(first, F_TLOCK, 5));
  ERRNO_OF("lockf", "unlock", 0, lockf(first, F_ULOCK, 5));
  ERRNO_OF("lockf", "no such operation", EINVAL, lockf(first, 77, 5));
  close(first), close(second);
}

void check_streams() {
  flockfile(stderr);
  VALUE_OF("ftrylockfile", "held by itself", 0, ftrylockfile(stderr));
  HOLDS("ftrylockfile", "held by another", elsewhere([] { return ftrylockfile(stderr); }) != 0);
  funlockfile(stderr), funlockfile(stderr);
  VALUE_OF("ftrylockfile", "free", 0, elsewhere([] {
             const int result = ftrylockfile(stderr);
             if (result == 0) funlockfile(stderr);
             return result;
           }));
  flockfile(stderr);
  Thread waiter([] { return flockfile(stderr), funlockfile(stderr), 0; });
  sched_yield();
  funlockfile(stderr);
  VALUE_OF("flockfile", "waits until another thread unlocks", 0, waiter.result());
}

}  // namespace

int main() {
  begin_checks();
  check_posix_queue();
  check_messages();
  check_semaphores();
  check_flock();
  check_streams();
  return end_checks();
}
