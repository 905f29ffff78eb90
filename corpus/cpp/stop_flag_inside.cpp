// The flag is set under the lock.
// heddle: run
// expect: clean complete
#include "cpp/stop_flag.h"

int main() { run_consumer(/*stops_inside_the_lock=*/true); }
