// system(), popen(), posix_spawn() and vfork() in two threads: what they start runs as it would, without Heddle.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void use_shell(void) {
  const int status = system("exit 3");
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  FILE* pipe = popen("echo ${HEDDLE_CONTROL-none} ${LD_PRELOAD-none}", "r");
  char line[100] = "";
  assert(pipe != NULL && fgets(line, sizeof line, pipe) != NULL);
  assert(strcmp(line, "none none\n") == 0);
  assert(pclose(pipe) == 0);
  pipe = popen("read line; test \"$line\" = hello", "w");
  assert(pipe != NULL && fputs("hello\n", pipe) >= 0);
  assert(pclose(pipe) == 0);
}

static void* spawn(void* unused) {
  char* arguments[] = {"sh", "-c", "exit 5", NULL};
  pid_t child = 0;
  int status = 0;
  assert(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
  assert(waitpid(child, &status, 0) == child && status == 5 << 8);
  assert(posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, environ) != 0);
  return unused;
}

// The child shares the memory, and the parent goes on only when it has executed or ended.
static void use_vfork(void) {
  volatile int written = 0;
  const pid_t child = vfork();
  if (child == 0) {
    written = 1;
    execlp("sh", "sh", "-c", "exit 6", (char*)NULL);
    _exit(1);
  }
  assert(written == 1);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && status == 6 << 8);
  const pid_t other = vfork();
  if (other == 0) _exit(written = 2);
  assert(written == 2 && waitpid(other, &status, 0) == other && status == 2 << 8);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, spawn, NULL);
  use_shell();
  use_vfork();
  pthread_join(thread, NULL);
  return 0;
}
