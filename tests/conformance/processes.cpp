// Children: fork, vfork, posix_spawn, system, popen, and waiting for them.
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

extern char** environ;

namespace {

int status_of(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) continue;
  return status;
}

void check_fork() {
  static int value = 1;
  pid_t child = fork();
  if (child == 0) {
    value = 2;
    _exit(7);
  }
  HOLDS("fork", "the parent gets the child's id", child > 0);
  int status = status_of(child);
  HOLDS("waitpid", "the child exited", WIFEXITED(status));
  VALUE_OF("waitpid", "its status", 7, WEXITSTATUS(status));
  VALUE_OF("fork", "memory is the child's own", 1, value);
  const pid_t parent = getpid();
  child = fork();
  if (child == 0) _exit(getppid() == parent && getpid() != parent ? 0 : 1);
  HOLDS("fork", "the child has an id of its own and knows its parent", status_of(child) == 0);
  child = fork();
  if (child == 0) {
    pthread_t thread;
    _exit(pthread_create(&thread, nullptr, nothing, nullptr) == 0 && pthread_join(thread, nullptr) == 0 ? 3 : 4);
  }
  VALUE_OF("fork", "the child makes a thread", 3, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    _exit(pthread_mutex_lock(&mutex) == 0 && sem_wait(&semaphore) == 0 ? 5 : 6);
  }
  VALUE_OF("fork", "the child uses a mutex and a semaphore", 5, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) raise(SIGKILL);
  status = status_of(child);
  HOLDS("waitpid", "the child was killed", WIFSIGNALED(status));
  VALUE_OF("waitpid", "by which signal", SIGKILL, WTERMSIG(status));
  VALUE_OF("fork", "from another thread", 9, elsewhere([] {
             const pid_t made = fork();
             if (made == 0) _exit(9);
             return WEXITSTATUS(status_of(made));
           }));
}

int order[8], events;

void check_atfork() {
  pthread_atfork([] { order[events++] = 1; }, [] { order[events++] = 2; }, [] { order[events++] = 3; });
  ERROR_OF("pthread_atfork", "three handlers", 0,
           pthread_atfork([] { order[events++] = 4; }, [] { order[events++] = 5; }, [] { order[events++] = 6; }));
  const pid_t child = fork();
  if (child == 0) _exit(events == 4 && order[0] == 4 && order[1] == 1 && order[2] == 3 && order[3] == 6 ? 0 : 1);
  HOLDS("pthread_atfork", "before: last first; in the parent: first first",
        order[0] == 4 && order[1] == 1 && order[2] == 2 && order[3] == 5);
  HOLDS("pthread_atfork", "in the child: first first", status_of(child) == 0);
}

void check_vfork() {
  pid_t child = vfork();
  if (child == 0) _exit(11);
  VALUE_OF("vfork", "the child's status", 11, WEXITSTATUS(status_of(child)));
  child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 12", nullptr);
    _exit(99);
  }
  VALUE_OF("vfork", "the child executes a program", 12, WEXITSTATUS(status_of(child)));
  child = vfork();
  if (child == 0) {
    execl("/no/such/program", "none", nullptr);
    _exit(13);
  }
  VALUE_OF("vfork", "the program is missing", 13, WEXITSTATUS(status_of(child)));
}

void check_exits() {
  pid_t child = fork();
  if (child == 0) _Exit(21);
  VALUE_OF("_Exit", "in a child", 21, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) exit(22);
  VALUE_OF("exit", "in a child", 22, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) {
    at_quick_exit([] { _exit(24); });
    quick_exit(23);
  }
  VALUE_OF("quick_exit", "in a child, with a handler", 24, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) quick_exit(25);
  VALUE_OF("quick_exit", "in a child", 25, WEXITSTATUS(status_of(child)));
  child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  VALUE_OF("abort", "in a child", SIGABRT, WTERMSIG(status_of(child)));
  child = fork();
  if (child == 0) _exit(256 + 26);
  VALUE_OF("_exit", "the lower eight bits", 26, WEXITSTATUS(status_of(child)));
}

void check_wait_errors() {
  int status;
  ERRNO_OF("wait", "no child", ECHILD, wait(&status));
  ERRNO_OF("waitpid", "not a child", ECHILD, waitpid(getpid(), &status, 0));
  ERRNO_OF("waitpid", "options that are none", EINVAL, waitpid(-1, &status, 0x1000000));
  siginfo_t information;
  ERRNO_OF("waitid", "no options", EINVAL, waitid(P_ALL, 0, &information, 0));
  ERRNO_OF("waitid", "no child", ECHILD, waitid(P_ALL, 0, &information, WEXITED));
  const pid_t child = fork();
  if (child == 0) _exit(31);
  ERRNO_OF("waitid", "the child, left to be waited for", 0,
           waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOWAIT));
  VALUE_OF("waitid", "its status", 31, information.si_status);
  HOLDS("wait", "the child's id", wait(&status) == child);
  VALUE_OF("wait", "its status", 31, WEXITSTATUS(status));
}

void check_other_waits() {
  int status = -1;
  rusage usage;
  pid_t child = _Fork();
  if (child == 0) _exit(32);
  HOLDS("_Fork", "the parent gets the child's id", child > 0);
  HOLDS("wait4", "the child's id", wait4(child, &status, 0, &usage) == child);
  VALUE_OF("_Fork", "the child's status", 32, WEXITSTATUS(status));
  child = _Fork();
  if (child == 0) _exit(getpid() != getppid() ? 33 : 34);
  HOLDS("wait3", "the child's id", wait3(&status, 0, nullptr) == child);
  VALUE_OF("_Fork", "the child has an id of its own", 33, WEXITSTATUS(status));
  ERRNO_OF("wait3", "no child", ECHILD, wait3(&status, 0, nullptr));
  ERRNO_OF("wait3", "no child, not to wait", ECHILD, wait3(&status, WNOHANG, nullptr));
  ERRNO_OF("wait4", "not a child", ECHILD, wait4(getpid(), &status, 0, nullptr));
  ERRNO_OF("wait4", "options that are none", EINVAL, wait4(-1, &status, 0x1000000, nullptr));
}

void check_pipe_from_child() {
  int ends[2];
  char text[8] = {};
  ERRNO_OF("pipe", "new", 0, pipe(ends));
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    _exit(write(ends[1], "child", 5) == 5 ? 0 : 1);
  }
  close(ends[1]);
  VALUE_OF("read", "what the child wrote", 5, read(ends[0], text, sizeof text));
  HOLDS("read", "the text of the child", strcmp(text, "child") == 0);
  VALUE_OF("read", "after the child has ended", 0, read(ends[0], text, sizeof text));
  close(ends[0]);
  HOLDS("waitpid", "the child that wrote", status_of(child) == 0);
}

void check_programs() {
  VALUE_OF("system", "the command's status", 41, WEXITSTATUS(system("exit 41")));
  HOLDS("system", "is there a shell", system(nullptr) != 0);
  VALUE_OF("system", "a command that is missing", 127, WEXITSTATUS(system("/no/such/program 2>/dev/null")));
  FILE* file = popen("echo spoken", "r");
  char line[32] = {};
  HOLDS("popen", "to read", file != nullptr && fgets(line, sizeof line, file) != nullptr);
  HOLDS("popen", "what the command printed", strcmp(line, "spoken\n") == 0);
  VALUE_OF("pclose", "the command's status", 0, pclose(file));
  file = popen("cat >/dev/null; exit 42", "w");
  HOLDS("popen", "to write", file != nullptr && fputs("heard", file) >= 0);
  VALUE_OF("pclose", "the command's exit status", 42, WEXITSTATUS(pclose(file)));
  errno = 0;
  HOLDS("popen", "no such mode", popen("true", "z") == nullptr && errno == EINVAL);
  char shell[] = "sh", option[] = "-c", command[] = "exit 43";
  char* arguments[] = {shell, option, command, nullptr};
  pid_t child;
  ERROR_OF("posix_spawn", "a shell", 0, posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ));
  VALUE_OF("posix_spawn", "its status", 43, WEXITSTATUS(status_of(child)));
  ERROR_OF("posix_spawnp", "a shell in the path", 0, posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ));
  VALUE_OF("posix_spawnp", "its status", 43, WEXITSTATUS(status_of(child)));
  ERROR_OF("posix_spawnp", "a program that is missing", ENOENT,
           posix_spawnp(&child, "no-such-program", nullptr, nullptr, arguments, environ));
  ERROR_OF("posix_spawn", "a program that is missing", ENOENT,
           posix_spawn(&child, "/no/such/program", nullptr, nullptr, arguments, environ));
  VALUE_OF("system", "from another thread", 44, elsewhere([] { return WEXITSTATUS(system("exit 44")); }));
}

}  // namespace

int main() {
  begin_checks();
  check_fork();
  check_atfork();
  check_vfork();
  check_exits();
  check_wait_errors();
  check_other_waits();
  check_pipe_from_child();
  check_programs();
  return end_checks();
}
