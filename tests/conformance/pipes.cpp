// Pipes and eventfd between threads: reading, writing, full and empty, closed ends.
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "check.h"

namespace {

int ends[2];

void new_pipe(int flags = 0) {
  if (pipe2(ends, flags) != 0) abort();
}

void close_both() {
  close(ends[0]);
  close(ends[1]);
}

void check_pipe() {
  char buffer[16] = {};
  ERRNO_OF("pipe", "new", 0, pipe(ends));
  VALUE_OF("write", "pipe, five bytes", 5, write(ends[1], "hello", 5));
  VALUE_OF("read", "pipe, fewer than there are", 2, read(ends[0], buffer, 2));
  VALUE_OF("read", "pipe, more than there are", 3, read(ends[0], buffer + 2, 10));
  HOLDS("read", "pipe, in the order of writing", memcmp(buffer, "hello", 5) == 0);
  VALUE_OF("read", "pipe, no bytes", 0, read(ends[0], buffer, 0));
  ERRNO_OF("write", "the reading end", EBADF, write(ends[0], "x", 1));
  ERRNO_OF("read", "the writing end", EBADF, read(ends[1], buffer, 1));
  ERRNO_OF("lseek", "pipe", ESPIPE, lseek(ends[0], 0, SEEK_SET));
  Thread reader([] {
    char byte = 0;
    return read(ends[0], &byte, 1) == 1 ? byte : -1;
  });
  sched_yield();
  VALUE_OF("write", "pipe, a reader waits", 1, write(ends[1], "z", 1));
  VALUE_OF("read", "pipe, waits until another thread writes", 'z', reader.result());
  Thread at_end([] {
    char byte;
    return static_cast<int>(read(ends[0], &byte, 1));
  });
  sched_yield();
  ERRNO_OF("close", "the writing end, a reader waits", 0, close(ends[1]));
  VALUE_OF("read", "pipe, the writing end is closed meanwhile", 0, at_end.result());
  VALUE_OF("read", "pipe, the writing end is closed", 0, read(ends[0], buffer, 1));
  ERRNO_OF("close", "the reading end", 0, close(ends[0]));
  ERRNO_OF("close", "closed before", EBADF, close(ends[0]));
  ERRNO_OF("read", "closed before", EBADF, read(ends[0], buffer, 1));
  ERRNO_OF("write", "closed before", EBADF, write(ends[1], "x", 1));
  ERRNO_OF("pipe2", "flags that are none", EINVAL, pipe2(ends, 0x40000000));
}

void check_device_control() {
  new_pipe();
  int bytes = -1, on = 1;
  if (write(ends[1], "abc", 3) != 3) abort();
  VALUE_OF("ioctl", "FIONREAD, what is in a pipe", 3, (ioctl(ends[0], FIONREAD, &bytes), bytes));
  VALUE_OF("ioctl", "FIONBIO", 0, ioctl(ends[0], FIONBIO, &on));
  HOLDS("ioctl", "FIONBIO, a pipe that does not block then", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
  close_both();
  ERRNO_OF("ioctl", "a closed descriptor", EBADF, ioctl(ends[0], FIONREAD, &bytes));
  ERRNO_OF("close", "a closed descriptor", EBADF, close(ends[0]));
}

void check_full() {
  static char block[4096];
  new_pipe(O_NONBLOCK);
  ERRNO_OF("read", "empty pipe that does not block", EAGAIN, read(ends[0], block, 1));
  long total = 0;
  for (long n; (n = write(ends[1], block, sizeof block)) > 0;) total += n;
  ERRNO_OF("write", "full pipe that does not block", EAGAIN, write(ends[1], block, 1));
  VALUE_OF("fcntl", "the size of a pipe is what went in", total, fcntl(ends[1], F_GETPIPE_SZ));
  VALUE_OF("read", "full pipe, a block", 4096, read(ends[0], block, sizeof block));
  VALUE_OF("write", "pipe, space for a block", 4096, write(ends[1], block, sizeof block));
  VALUE_OF("fcntl", "makes the writing end block", 0, fcntl(ends[1], F_SETFL, 0));
  Thread writer([] { return static_cast<int>(write(ends[1], block, sizeof block)); });
  sched_yield();
  long taken = 0;
  for (long n; taken < total + 4096;) {
    if ((n = read(ends[0], block, sizeof block)) > 0)
      taken += n;
    else
      sched_yield();
  }
  VALUE_OF("write", "full pipe, waits until another thread reads", 4096, writer.result());
  close_both();
}

void check_broken() {
  new_pipe();
  signal(SIGPIPE, SIG_IGN);
  close(ends[0]);
  ERRNO_OF("write", "pipe without a reader, SIGPIPE ignored", EPIPE, write(ends[1], "x", 1));
  static volatile sig_atomic_t handled;
  signal(SIGPIPE, [](int) { handled = handled + 1; });
  ERRNO_OF("write", "pipe without a reader", EPIPE, write(ends[1], "x", 1));
  VALUE_OF("write", "pipe without a reader, the handler of SIGPIPE has run", 1, handled);
  close(ends[1]);
  signal(SIGPIPE, SIG_DFL);
}

void check_vectors() {
  new_pipe();
  char one[4] = {}, two[8] = {};
  iovec out[2] = {{const_cast<char*>("abc"), 3}, {const_cast<char*>("defgh"), 5}}, in[2] = {{one, 3}, {two, 8}};
  VALUE_OF("writev", "pipe, two pieces", 8, writev(ends[1], out, 2));
  VALUE_OF("readv", "pipe, two pieces", 8, readv(ends[0], in, 2));
  HOLDS("readv", "the pieces", memcmp(one, "abc", 3) == 0 && memcmp(two, "defgh", 5) == 0);
  ERRNO_OF("writev", "a negative number of pieces", EINVAL, writev(ends[1], out, kMinusOne));
  ERRNO_OF("readv", "a negative number of pieces", EINVAL, readv(ends[0], in, kMinusOne));
  ERRNO_OF("readv", "no descriptor", EBADF, readv(-1, in, 2));
  ERRNO_OF("pread", "pipe", ESPIPE, pread(ends[0], one, 1, 0));
  ERRNO_OF("pwrite", "pipe", ESPIPE, pwrite(ends[1], "x", 1, 0));
  ERRNO_OF("write", "a wild pointer", EFAULT, write(ends[1], kWild, 1));
  if (write(ends[1], "xyz", 3) != 3) abort();
  ERRNO_OF("read", "a wild pointer", EFAULT, read(ends[0], kWild, 1));
  close_both();
}

void check_duplicates() {
  new_pipe();
  const int copy = dup(ends[1]);
  HOLDS("dup", "a new number", copy > ends[1]);
  close(ends[1]);
  VALUE_OF("write", "the copy of a closed descriptor", 1, write(copy, "x", 1));
  char byte;
  VALUE_OF("read", "what was written to the copy", 1, read(ends[0], &byte, 1));
  VALUE_OF("dup2", "to a number", 200, dup2(copy, 200));
  close(copy);
  Thread reader([] {
    char own;
    return static_cast<int>(read(ends[0], &own, 1));
  });
  sched_yield();
  close(200);
  VALUE_OF("read", "pipe, the last copy of the writing end is closed", 0, reader.result());
  ERRNO_OF("dup", "no descriptor", EBADF, dup(-1));
  ERRNO_OF("dup2", "no descriptor", EBADF, dup2(-1, 200));
  ERRNO_OF("dup3", "the same number", EINVAL, dup3(ends[0], ends[0], 0));
  close(ends[0]);
}

void check_closing_of_many() {
  new_pipe();
  const int first = fcntl(ends[0], F_DUPFD, 500), second = fcntl(ends[0], F_DUPFD, 501);
  ERRNO_OF("close_range", "the last before the first", EINVAL, close_range(9, 8, 0));
  ERRNO_OF("close_range", "flags that are none", EINVAL, close_range(600, 601, 0x80));
  ERRNO_OF("close_range", "one that is open", 0, close_range(static_cast<unsigned>(second), 510, 0));
  ERRNO_OF("close_range", "which is closed then", EBADF, fcntl(second, F_GETFD));
  ERRNO_OF("close_range", "the one before is not", 0, fcntl(first, F_GETFD));
  close(first);
  close_both();
}

void check_event() {
  const int event = eventfd(2, EFD_NONBLOCK);
  uint64_t value = 0;
  HOLDS("eventfd", "new", event >= 0);
  VALUE_OF("read", "eventfd, value 2", 8, read(event, &value, 8));
  VALUE_OF("eventfd", "the value that was read", 2, value);
  ERRNO_OF("read", "eventfd, value 0", EAGAIN, read(event, &value, 8));
  ERRNO_OF("read", "eventfd, fewer than eight bytes", EINVAL, read(event, &value, 4));
  value = 5;
  VALUE_OF("write", "eventfd", 8, write(event, &value, 8));
  ERRNO_OF("eventfd_write", "adds", 0, eventfd_write(event, 3));
  eventfd_t seen = 0;
  ERRNO_OF("eventfd_read", "a value", 0, eventfd_read(event, &seen));
  VALUE_OF("eventfd_read", "the sum of two writes", 8, seen);
  value = ~uint64_t{0};
  ERRNO_OF("write", "eventfd, the value that is reserved", EINVAL, write(event, &value, 8));
  value = ~uint64_t{0} - 1;
  VALUE_OF("write", "eventfd, the largest value", 8, write(event, &value, 8));
  ERRNO_OF("eventfd_write", "one too many", EAGAIN, eventfd_write(event, 1));
  ERRNO_OF("eventfd_write", "no descriptor", EBADF, eventfd_write(kMinusOne, 1));
  close(event);
  ERRNO_OF("eventfd", "flags that are none", EINVAL, eventfd(0, 0x1000));
  static int blocking = eventfd(0, EFD_SEMAPHORE);
  Thread waiter([] {
    eventfd_t own = 0;
    return eventfd_read(blocking, &own) == 0 ? static_cast<int>(own) : -1;
  });
  sched_yield();
  eventfd_write(blocking, 3);
  VALUE_OF("eventfd_read", "as a semaphore, waits until another thread writes", 1, waiter.result());
  eventfd_read(blocking, &seen);
  VALUE_OF("eventfd", "as a semaphore gives one at a time", 1, seen);
  close(blocking);
}

void check_stream() {
  new_pipe();
  static FILE* in = fdopen(ends[0], "r");
  FILE* out = fdopen(ends[1], "w");
  Thread reader([] {
    char line[32];
    return fgets(line, sizeof line, in) != nullptr && strcmp(line, "a line\n") == 0 ? 1 : 0;
  });
  sched_yield();
  HOLDS("fputs", "to a pipe", fputs("a line\n", out) >= 0 && fflush(out) == 0);
  VALUE_OF("fgets", "from a pipe, waits until another thread writes", 1, reader.result());
  fclose(out);
  VALUE_OF("fgetc", "from a pipe whose other end is closed", EOF, fgetc(in));
  fclose(in);
}

}  // namespace

int main() {
  begin_checks();
  check_pipe();
  check_full();
  check_device_control();
  check_broken();
  check_vectors();
  check_duplicates();
  check_closing_of_many();
  check_event();
  check_stream();
  return end_checks();
}
