// A thread waits for a message of System V that another thread would send: the kernel blocks it, which the model does
// not see.
// heddle: run --execution-timeout=3s --time=8s
// expect: no verdict
// says: msgrcv
// isolation: exec
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
  long type;
  char text[8];
};

static int queue;

static void* sender(void* unused) {
  const struct message message = {1, "go"};
  if (msgsnd(queue, &message, sizeof message.text, 0) != 0) return NULL;
  return unused;
}

int main(void) {
  pthread_t thread;
  struct message message;
  queue = msgget(IPC_PRIVATE, 0600);
  pthread_create(&thread, NULL, sender, NULL);
  const int failed = msgrcv(queue, &message, sizeof message.text, 0, 0) < 0;
  pthread_join(thread, NULL);
  msgctl(queue, IPC_RMID, NULL);
  return failed;
}
