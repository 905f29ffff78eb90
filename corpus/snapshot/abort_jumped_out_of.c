// abort() whose handler goes back into the program, as frameworks do that expect one: always, and all goes on.
// heddle: run
// expect: clean complete
// twin: abort_handler_exits.c
#include "snapshot/abort_handlers.h"

static void go_back(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

int main(void) { return run(go_back); }
