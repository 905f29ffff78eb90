// POSIX asynchronous I/O on a file, each request in each of the ways in which one hears of its end.
#include <aio.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>

#include "check.h"

namespace {

int file;
sigset_t done;

aiocb request_for(char* text, size_t bytes, off_t at) {
  aiocb request = {};
  request.aio_fildes = file;
  request.aio_buf = text;
  request.aio_nbytes = bytes;
  request.aio_offset = at;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  return request;
}

void wait_until_done(const aiocb* request) {
  const aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, nullptr);
}

void check_transfers() {
  char text[] = "abcdef";
  aiocb writing = request_for(text, 6, 0);
  ERRNO_OF("aio_write", "six bytes", 0, aio_write(&writing));
  wait_until_done(&writing);
  VALUE_OF("aio_error", "done", 0, aio_error(&writing));
  VALUE_OF("aio_return", "of a write", 6, aio_return(&writing));
  char got[8] = {};
  aiocb reading = request_for(got, sizeof got, 2);
  ERRNO_OF("aio_read", "from the middle", 0, aio_read(&reading));
  const aiocb* const list[] = {nullptr, &reading};
  ERRNO_OF("aio_suspend", "of two, one is none", 0, aio_suspend(list, 2, nullptr));
  VALUE_OF("aio_return", "of a read that comes to the end", 4, aio_return(&reading));
  HOLDS("aio_read", "what was written", strcmp(got, "cdef") == 0);
  const timespec minute = {60, 0};
  ERRNO_OF("aio_suspend", "done already, with a limit", 0, aio_suspend(list, 2, &minute));
  const aiocb* const none[] = {nullptr};
  ERRNO_OF("aio_suspend", "nothing to wait for", 0, aio_suspend(none, 1, nullptr));
  aiocb syncing = request_for(nullptr, 0, 0);
  ERRNO_OF("aio_fsync", "a file", 0, aio_fsync(O_SYNC, &syncing));
  wait_until_done(&syncing);
  VALUE_OF("aio_error", "of a sync", 0, aio_error(&syncing));
  ERRNO_OF("aio_fsync", "no such way", EINVAL, aio_fsync(77, &syncing));
  syncing.aio_fildes = -1;
  ERRNO_OF("aio_fsync", "no descriptor", EBADF, aio_fsync(O_SYNC, &syncing));
}

void check_errors() {
  char text[4] = "abc";
  aiocb request = request_for(text, 3, 0);
  request.aio_fildes = 77;
  ERRNO_OF("aio_read", "no such descriptor, found when it is carried out", 0, aio_read(&request));
  wait_until_done(&request);
  VALUE_OF("aio_error", "no such descriptor", EBADF, aio_error(&request));
  VALUE_OF("aio_return", "of one that failed", -1, aio_return(&request));
  request = request_for(text, 3, 0);
  request.aio_reqprio = -1;
  ERRNO_OF("aio_write", "no such priority", EINVAL, aio_write(&request));
  request.aio_reqprio = 21;
  ERRNO_OF("aio_write", "a priority that is too low", EINVAL, aio_write(&request));
  ERRNO_OF("aio_cancel", "no descriptor", EBADF, aio_cancel(-1, nullptr));
  VALUE_OF("aio_cancel", "nothing is going on", AIO_ALLDONE, aio_cancel(file, nullptr));
  request.aio_fildes = 0;
  ERRNO_OF("aio_cancel", "a request of another descriptor", EINVAL, aio_cancel(file, &request));
}

void check_notices() {
  char text[4] = "xyz";
  aiocb request = request_for(text, 3, 0);
  request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  request.aio_sigevent.sigev_signo = SIGUSR1;
  request.aio_sigevent.sigev_value.sival_int = 9;
  aio_write(&request);
  siginfo_t info = {};
  VALUE_OF("sigwaitinfo", "of a request", SIGUSR1, sigwaitinfo(&done, &info));
  VALUE_OF("sigwaitinfo", "of a request, the code", SI_ASYNCIO, info.si_code);
  VALUE_OF("sigwaitinfo", "of a request, the value", 9, info.si_value.sival_int);
}

// The thread blocks no signal, and may still be there when this returns: one that is sent to the process could end it.
// So this comes behind whatever waits for signals.
void check_notice_by_a_thread() {
  char text[4] = "xyz";
  aiocb request = request_for(text, 3, 0);
  static Gate told;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = [](sigval) { told.open(); };
  aio_write(&request);
  told.pass();
  VALUE_OF("aio_return", "a thread has been told", 3, aio_return(&request));
}

void check_lists() {
  char one[4] = "123", two[4] = "456";
  aiocb first = request_for(one, 3, 0), second = request_for(two, 3, 3);
  first.aio_lio_opcode = second.aio_lio_opcode = LIO_WRITE;
  aiocb* const list[] = {&first, nullptr, &second};
  ERRNO_OF("lio_listio", "waits for two", 0, lio_listio(LIO_WAIT, list, 3, nullptr));
  VALUE_OF("lio_listio", "both are done", 6, aio_return(&first) + aio_return(&second));
  ERRNO_OF("lio_listio", "no such way", EINVAL, lio_listio(77, list, 3, nullptr));
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  ERRNO_OF("lio_listio", "does not wait", 0, lio_listio(LIO_NOWAIT, list, 3, &event));
  siginfo_t info = {};
  VALUE_OF("lio_listio", "tells when all are done", SIGUSR1, sigwaitinfo(&done, &info));
  VALUE_OF("lio_listio", "all are done", 0, aio_error(&first) + aio_error(&second));
}

void check_lists_that_tell_twice() {
  char text[4] = "123";
  aiocb request = request_for(text, 3, 0);
  request.aio_lio_opcode = LIO_WRITE;
  request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  request.aio_sigevent.sigev_signo = SIGUSR1;
  aiocb* const list[] = {&request};
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  sigset_t both;
  sigemptyset(&both), sigaddset(&both, SIGUSR1), sigaddset(&both, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &both, nullptr);
  ERRNO_OF("lio_listio", "a request that tells of itself", 0, lio_listio(LIO_NOWAIT, list, 1, &event));
  siginfo_t info = {};
  VALUE_OF("lio_listio", "both tell", SIGUSR1 + SIGUSR2, sigwaitinfo(&both, &info) + sigwaitinfo(&both, &info));
}

void check_operations_of_lists() {
  char text[4] = "123";
  aiocb request = request_for(text, 3, 0);
  request.aio_lio_opcode = -1;
  aiocb* const list[] = {&request};
  ERRNO_OF("lio_listio", "no such operation", EIO, lio_listio(LIO_WAIT, list, 1, nullptr));
  VALUE_OF("aio_error", "of a wrong operation", EINVAL, aio_error(&request));
  request = request_for(text, 3, 0);
  request.aio_lio_opcode = LIO_NOP;
  ERRNO_OF("lio_listio", "no operation", 0, lio_listio(LIO_WAIT, list, 1, nullptr));
  request = request_for(text, 3, 0);
  request.aio_reqprio = -1;
  ERRNO_OF("aio_fsync", "a priority does not matter", 0, aio_fsync(O_SYNC, &request));
  wait_until_done(&request);
}

void check_names() {
  gaicb one = {};
  one.ar_name = "127.0.0.1";
  gaicb* list[] = {&one, nullptr};
  VALUE_OF("getaddrinfo_a", "waits", 0, getaddrinfo_a(GAI_WAIT, list, 2, nullptr));
  HOLDS("getaddrinfo_a", "the answer", gai_error(&one) == 0 && one.ar_result != nullptr);
  static Gate told;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) { told.open(); };
  VALUE_OF("getaddrinfo_a", "tells by a thread", 0, getaddrinfo_a(GAI_NOWAIT, list, 1, &event));
  told.pass();
  VALUE_OF("getaddrinfo_a", "a thread has been told", 0, gai_error(&one));
  HOLDS("getaddrinfo_a", "no such way", getaddrinfo_a(77, list, 1, nullptr) == EAI_SYSTEM && errno == EINVAL);
}

}  // namespace

int main() {
  sigemptyset(&done);
  sigaddset(&done, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &done, nullptr);
  begin_checks();
  char name[] = "/tmp/aio-checks-XXXXXX";
  file = mkstemp(name);
  unlink(name);
  check_transfers();
  check_errors();
  check_notices();
  check_lists();
  check_lists_that_tell_twice();
  check_operations_of_lists();
  check_notice_by_a_thread();
  check_names();
  return end_checks();
}
