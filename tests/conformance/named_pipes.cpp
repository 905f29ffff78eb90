// Opening files and named pipes: who waits for the other end, who does not, and what ends a wait. Also the calls on
// pipes that go by memory or by position: vmsplice, preadv2, pwritev2.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "check.h"

namespace {

const char* const kPipe = "conformance-pipe";
const char* const kFile = "conformance-file";

int opened_elsewhere(int flags) {
  return elsewhere([flags] {
    const int end = open(kPipe, flags);
    if (end >= 0) close(end);
    return end >= 0 ? 0 : errno;
  });
}

void check_files() {
  unlink(kFile);
  ERRNO_OF("open", "no such file", ENOENT, open(kFile, O_RDONLY));
  ERRNO_OF("open", "makes a file", 0, close(open(kFile, O_RDWR | O_CREAT | O_EXCL, 0640)));
  struct stat status = {};
  stat(kFile, &status);
  VALUE_OF("open", "the mode of what it makes", 0640, status.st_mode & 0777 & (0640 | umask(022)));
  ERRNO_OF("open", "to make what is there", EEXIST, open(kFile, O_RDWR | O_CREAT | O_EXCL, 0600));
  ERRNO_OF("open", "a file as a folder", ENOTDIR, open(kFile, O_RDONLY | O_DIRECTORY));
  ERRNO_OF("open", "a folder for writing", EISDIR, open(".", O_WRONLY));
  ERRNO_OF("open", "a path that is nowhere", EFAULT, open(static_cast<char*>(kWild), O_RDONLY));
  ERRNO_OF("open64", "no such file", ENOENT, open64("no-such-file", O_RDONLY));
  ERRNO_OF("open64", "a file", 0, close(open64(kFile, O_RDONLY)));
  ERRNO_OF("open64", "to make what is there", EEXIST, open64(kFile, O_RDWR | O_CREAT | O_EXCL, 0600));
  ERRNO_OF("openat", "a closed descriptor", EBADF, openat(kMinusOne, kFile, O_RDONLY));
  ERRNO_OF("openat", "in the present folder", 0, close(openat(AT_FDCWD, kFile, O_RDONLY)));
  ERRNO_OF("openat64", "a closed descriptor", EBADF, openat64(kMinusOne, kFile, O_RDONLY));
  ERRNO_OF("openat64", "in the present folder", 0, close(openat64(AT_FDCWD, kFile, O_RDONLY)));
  ERRNO_OF("openat64", "no such file", ENOENT, openat64(AT_FDCWD, "no-such-file", O_RDONLY));
  ERRNO_OF("creat", "a file that is there", 0, close(creat(kFile, 0600)));
  ERRNO_OF("creat", "in a folder that is not there", ENOENT, creat("no-such-folder/file", 0600));
  ERRNO_OF("creat", "a folder", EISDIR, creat(".", 0600));
  ERRNO_OF("creat64", "a file that is there", 0, close(creat64(kFile, 0600)));
  ERRNO_OF("creat64", "in a folder that is not there", ENOENT, creat64("no-such-folder/file", 0600));
  ERRNO_OF("creat64", "a folder", EISDIR, creat64(".", 0600));
  unlink(kFile);
}

void check_at_once() {
  char byte;
  ERRNO_OF("mkfifo", "a new one", 0, mkfifo(kPipe, 0600));
  ERRNO_OF("mkfifo", "it is there", EEXIST, mkfifo(kPipe, 0600));
  ERRNO_OF("open", "a named pipe to write, not to wait, no reader", ENXIO, open(kPipe, O_WRONLY | O_NONBLOCK));
  const int reader = open(kPipe, O_RDONLY | O_NONBLOCK);
  HOLDS("open", "a named pipe to read, not to wait, no writer", reader >= 0);
  VALUE_OF("read", "a named pipe without a writer", 0, read(reader, &byte, 1));
  const int writer = open(kPipe, O_WRONLY);
  HOLDS("open", "a named pipe to write, there is a reader", writer >= 0);
  HOLDS("open", "a named pipe to write may block then", (fcntl(writer, F_GETFL) & O_NONBLOCK) == 0);
  ERRNO_OF("read", "a named pipe with a writer, nothing there", EAGAIN, read(reader, &byte, 1));
  ERRNO_OF("open", "a named pipe to read, there is a writer", 0, close(open(kPipe, O_RDONLY)));
  VALUE_OF("write", "a named pipe", 1, write(writer, "x", 1));
  VALUE_OF("read", "a named pipe", 1, read(reader, &byte, 1));
  close(writer);
  VALUE_OF("read", "a named pipe whose writer has left", 0, read(reader, &byte, 1));
  close(reader);
  const int both = open(kPipe, O_RDWR);
  HOLDS("open", "a named pipe to read and write does not wait", both >= 0);
  VALUE_OF("write", "a named pipe that it reads itself", 2, write(both, "ab", 2));
  VALUE_OF("read", "a named pipe that it writes itself", 1, read(both, &byte, 1));
  ERRNO_OF("open", "a named pipe as a folder", ENOTDIR, open(kPipe, O_RDONLY | O_DIRECTORY));
  ERRNO_OF("open", "to make a named pipe that is there", EEXIST, open(kPipe, O_RDONLY | O_CREAT | O_EXCL, 0600));
  ERRNO_OF("creat", "a named pipe that has a reader", 0, close(creat(kPipe, 0600)));
  close(both);
}

void check_waiting() {
  char byte = 0;
  Thread writer([] {
    const int end = open(kPipe, O_WRONLY);
    const long written = write(end, "w", 1);
    close(end);
    return static_cast<int>(written);
  });
  const int end = open(kPipe, O_RDONLY);
  HOLDS("open", "a named pipe to read, a writer comes", end >= 0);
  HOLDS("open", "a named pipe to read may block then", (fcntl(end, F_GETFL) & O_NONBLOCK) == 0);
  VALUE_OF("read", "what a writer has left in a named pipe", 1, read(end, &byte, 1));
  VALUE_OF("open", "a named pipe to write, a reader comes", 1, writer.result());
  VALUE_OF("read", "a named pipe, nobody writes any more", 0, read(end, &byte, 1));
  close(end);
  Thread reader([] { return opened_elsewhere(O_RDONLY); });
  VALUE_OF("open", "a named pipe to write, of three threads", 0, opened_elsewhere(O_WRONLY));
  VALUE_OF("open", "a named pipe to read, the writer leaves at once", 0, reader.result());
  Thread stream([] {
    FILE* const file = fopen(kPipe, "r");
    const int first = fgetc(file);
    fclose(file);
    return first;
  });
  FILE* const file = fopen(kPipe, "w");
  fputc('s', file);
  fclose(file);
  VALUE_OF("fopen", "a named pipe, what the other stream wrote", 's', stream.result());
  Thread remover([] { return open(kPipe, O_RDONLY); });
  const int late = openat(AT_FDCWD, kPipe, O_WRONLY | O_CLOEXEC);
  HOLDS("openat", "a named pipe to write, a reader comes", late >= 0);
  VALUE_OF("openat", "a named pipe, closed by exec", FD_CLOEXEC, fcntl(late, F_GETFD));
  close(late);
  close(remover.result());
}

volatile sig_atomic_t given_up;

void ignore(int) {}

// Signals until one comes while the thread waits in open().
int open_under_signals(int flags) {
  given_up = 0;
  Thread waiter([flags] {
    const int error = open(kPipe, flags) >= 0 ? 0 : errno;
    given_up = 1;
    return error;
  });
  while (given_up == 0) {
    pthread_kill(waiter.handle(), SIGUSR1);
    pause_ms(1);
  }
  return waiter.result();
}

void check_interrupted() {
  struct sigaction action = {};
  action.sa_handler = ignore;
  sigaction(SIGUSR1, &action, nullptr);
  ERROR_OF("open", "a named pipe to read, a handler runs", EINTR, open_under_signals(O_RDONLY));
  ERRNO_OF("open", "a named pipe whose reader has given up has none", ENXIO, open(kPipe, O_WRONLY | O_NONBLOCK));
  ERROR_OF("open", "a named pipe to write, a handler runs", EINTR, open_under_signals(O_WRONLY));
  const int reader = open(kPipe, O_RDONLY | O_NONBLOCK);
  char byte;
  VALUE_OF("read", "a named pipe whose writer has given up", 0, read(reader, &byte, 1));
  close(reader);
}

void check_cancelled() {
  Thread waiter([] {
    pthread_t thread;
    void* result = nullptr;
    pthread_create(
        &thread, nullptr, [](void*) -> void* { return open(kPipe, O_RDONLY) >= 0 ? nullptr : nothing(nullptr); },
        nullptr);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED ? 1 : 0;
  });
  VALUE_OF("open", "a named pipe, cancelled", 1, waiter.result());
  ERRNO_OF("open", "a named pipe whose reader was cancelled has none", ENXIO, open(kPipe, O_WRONLY | O_NONBLOCK));
}

void check_memory() {
  int ends[2];
  char text[] = "hello", taken[8] = {};
  if (pipe(ends) != 0) abort();
  iovec out = {text, 5}, in = {taken, sizeof taken};
  VALUE_OF("vmsplice", "five bytes to a pipe", 5, vmsplice(ends[1], &out, 1, 0));
  VALUE_OF("vmsplice", "from a pipe", 5, vmsplice(ends[0], &in, 1, 0));
  HOLDS("vmsplice", "what went in", memcmp(taken, "hello", 5) == 0);
  ERRNO_OF("vmsplice", "nothing there, not to wait", EAGAIN, vmsplice(ends[0], &in, 1, SPLICE_F_NONBLOCK));
  ERRNO_OF("vmsplice", "a closed descriptor", EBADF, vmsplice(kMinusOne, &out, 1, 0));
  Thread feeder([&] { return static_cast<int>(write(ends[1], "late", 4)); });
  VALUE_OF("vmsplice", "waits until another thread writes", 4, vmsplice(ends[0], &in, 1, 0));
  VALUE_OF("write", "another waits in vmsplice", 4, feeder.result());
  VALUE_OF("pwritev2", "without a position, to a pipe", 5, pwritev2(ends[1], &out, 1, -1, 0));
  VALUE_OF("preadv2", "without a position, from a pipe", 5, preadv2(ends[0], &in, 1, -1, 0));
  ERRNO_OF("preadv2", "a position, of a pipe", ESPIPE, preadv2(ends[0], &in, 1, 0, 0));
  ERRNO_OF("pwritev2", "a position, of a pipe", ESPIPE, pwritev2(ends[1], &out, 1, 0, 0));
  Thread later([&] { return static_cast<int>(write(ends[1], "ab", 2)); });
  VALUE_OF("preadv2", "waits until another thread writes", 2, preadv2(ends[0], &in, 1, -1, 0));
  VALUE_OF("write", "another waits in preadv2", 2, later.result());
  ERRNO_OF("preadv2", "flags that are none", EOPNOTSUPP, preadv2(ends[0], &in, 1, -1, 0x4000));
  ERRNO_OF("pwritev2", "flags that are none", EOPNOTSUPP, pwritev2(ends[1], &out, 1, -1, 0x4000));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

int main() {
  signal(SIGPIPE, SIG_IGN);
  unlink(kPipe);
  begin_checks();
  check_files();
  check_at_once();
  check_waiting();
  check_interrupted();
  check_cancelled();
  ERRNO_OF("unlink", "a named pipe", 0, unlink(kPipe));
  check_memory();
  return end_checks();
}
