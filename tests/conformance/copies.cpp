// What is copied: descriptors (dup), bytes between descriptors (splice, sendfile, gathered writes, messages), and calls
// with a deadline on queues and semaphore sets that are ready or not.
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "check.h"

namespace {

void check_duplicates() {
  int ends[2], second[2];
  char byte = 0;
  if (pipe(ends) != 0) abort();
  ERRNO_OF("pipe", "two numbers of their own", 0, pipe(second));
  HOLDS("pipe", "no number is given twice", second[0] != ends[0] && second[1] != ends[1] && second[0] != second[1]);
  const int copy = dup(ends[0]);
  HOLDS("dup", "the lowest number that is free", copy > second[1]);
  write(ends[1], "a", 1);
  VALUE_OF("dup", "reads what the first would have read", 1, read(copy, &byte, 1));
  ERRNO_OF("dup", "a closed descriptor", EBADF, dup(kMinusOne));
  close(copy);
  VALUE_OF("dup2", "onto itself", ends[0], dup2(ends[0], ends[0]));
  VALUE_OF("dup2", "onto one that is open", second[0], dup2(ends[0], second[0]));
  ERRNO_OF("write", "the reader of the other pipe was closed by that", EPIPE, write(second[1], "x", 1));
  ERRNO_OF("dup2", "a closed descriptor", EBADF, dup2(kMinusOne, second[0]));
  VALUE_OF("dup3", "onto one that is open", second[1], dup3(ends[1], second[1], O_CLOEXEC));
  VALUE_OF("dup3", "is closed at exec", FD_CLOEXEC, fcntl(second[1], F_GETFD));
  ERRNO_OF("dup3", "onto itself", EINVAL, dup3(ends[0], ends[0], 0));
  close(second[0]), close(second[1]);
  ERRNO_OF("pipe2", "flags", 0, pipe2(second, O_CLOEXEC | O_NONBLOCK));
  VALUE_OF("pipe2", "is closed at exec", FD_CLOEXEC, fcntl(second[0], F_GETFD));
  ERRNO_OF("pipe2", "does not block", EAGAIN, read(second[0], &byte, 1));
  close(second[0]), close(second[1]), close(ends[0]), close(ends[1]);
}

void check_bytes_between() {
  int from[2], to[2];
  char buffer[16] = {};
  if (pipe(from) != 0 || pipe(to) != 0) abort();
  iovec pieces[2] = {{const_cast<char*>("ab"), 2}, {const_cast<char*>("cde"), 3}};
  VALUE_OF("writev", "two pieces", 5, writev(from[1], pieces, 2));
  VALUE_OF("splice", "from pipe to pipe, three of five", 3, splice(from[0], nullptr, to[1], nullptr, 3, 0));
  VALUE_OF("read", "what was spliced", 3, read(to[0], buffer, sizeof buffer));
  VALUE_OF("splice", "fewer than asked for", 2, splice(from[0], nullptr, to[1], nullptr, 9, 0));
  ERRNO_OF("splice", "nothing there, not to wait", EAGAIN,
           splice(from[0], nullptr, to[1], nullptr, 1, SPLICE_F_NONBLOCK));
  ERRNO_OF("splice", "a closed descriptor", EBADF, splice(kMinusOne, nullptr, to[1], nullptr, 1, 0));
  VALUE_OF("read", "what was spliced then", 2, read(to[0], buffer, sizeof buffer));
  Thread writer([&] { return static_cast<int>(write(from[1], "xyz", 3)); });
  VALUE_OF("tee", "waits until another thread writes", 3, tee(from[0], to[1], 9, 0));
  writer.result();
  VALUE_OF("read", "what was copied", 3, read(to[0], buffer, sizeof buffer));
  VALUE_OF("tee", "again, fewer than are there", 2, tee(from[0], to[1], 2, 0));
  VALUE_OF("read", "what was copied stays in the first pipe", 3, read(from[0], buffer, sizeof buffer));
  VALUE_OF("read", "what was copied again", 2, read(to[0], buffer, sizeof buffer));
  ERRNO_OF("tee", "nothing there, not to wait", EAGAIN, tee(from[0], to[1], 1, SPLICE_F_NONBLOCK));
  ERRNO_OF("tee", "a closed descriptor", EBADF, tee(kMinusOne, to[1], 1, 0));
  off_t offset = 0;
  ERRNO_OF("sendfile", "from a pipe", ESPIPE, sendfile(to[1], from[0], &offset, 1));
  ERRNO_OF("sendfile", "a closed descriptor", EBADF, sendfile(to[1], kMinusOne, nullptr, 1));
  const int program = open("/proc/self/exe", O_RDONLY);
  VALUE_OF("sendfile", "from a file", 4, sendfile(to[1], program, &offset, 4));
  VALUE_OF("sendfile", "moves the offset", 4, offset);
  close(program), close(from[0]), close(from[1]), close(to[0]), close(to[1]);
}

void check_messages() {
  int pair[2];
  char buffer[16] = {};
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) abort();
  iovec pieces[2] = {{const_cast<char*>("ab"), 2}, {const_cast<char*>("cde"), 3}};
  msghdr message = {};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  VALUE_OF("sendmsg", "two pieces are one message", 5, sendmsg(pair[0], &message, 0));
  iovec piece = {buffer, 3};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  VALUE_OF("recvmsg", "a message that is longer than the buffer", 3, recvmsg(pair[1], &message, 0));
  HOLDS("recvmsg", "says that it was cut off", (message.msg_flags & MSG_TRUNC) != 0);
  ERRNO_OF("recvmsg", "nothing there, not to wait", EAGAIN, recvmsg(pair[1], &message, MSG_DONTWAIT));
  ERRNO_OF("sendmsg", "a closed descriptor", EBADF, sendmsg(kMinusOne, &message, 0));
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  ERRNO_OF("accept4", "a socket that does not listen", EINVAL, accept4(server, nullptr, nullptr, 0));
  ERRNO_OF("accept4", "no socket that connects", EOPNOTSUPP, accept4(pair[0], nullptr, nullptr, 0));
  close(server), close(pair[0]), close(pair[1]);
}

void check_deadlines() {
  char name[64], text[64];
  snprintf(name, sizeof name, "/heddle-copies-%d", static_cast<int>(getpid()));
  mq_attr attributes = {};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 16;
  const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  mq_unlink(name);
  const timespec past = {1, 0}, wrong = {1, 1000000000};
  ERRNO_OF("mq_timedsend", "room, deadline long ago", 0, mq_timedsend(queue, "x", 2, 0, &past));
  ERRNO_OF("mq_timedsend", "full, a billion nanoseconds", EINVAL, mq_timedsend(queue, "x", 2, 0, &wrong));
  VALUE_OF("mq_timedreceive", "a message, deadline long ago", 2, mq_timedreceive(queue, text, 16, nullptr, &past));
  ERRNO_OF("mq_timedreceive", "a closed descriptor", EBADF, mq_timedreceive(kMinusOne, text, 16, nullptr, &past));
  mq_close(queue);
  const int set = semget(IPC_PRIVATE, 1, 0600);
  sembuf give = {0, 1, 0}, take = {0, -1, 0};
  const timespec moment = {0, 3000000};
  ERRNO_OF("semtimedop", "gives one", 0, semtimedop(set, &give, 1, &moment));
  ERRNO_OF("semtimedop", "takes one of one", 0, semtimedop(set, &take, 1, &moment));
  ERRNO_OF("semtimedop", "no operations", EINVAL, semtimedop(set, &take, 0, &moment));
  semctl(set, 0, IPC_RMID);
}

}  // namespace

int main() {
  signal(SIGPIPE, SIG_IGN);
  begin_checks();
  check_duplicates();
  check_bytes_between();
  check_messages();
  check_deadlines();
  return end_checks();
}
