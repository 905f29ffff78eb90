// A consumer that is told to stop by a flag, which is set without the lock that its wait holds: when it has looked at
// the flag and does not wait yet, it is woken in vain. The flag is memory that nothing here looks at.
// heddle: run
// expect: bug deadlock at bound 2
// twin: stop_flag_inside
#include "cpp/stop_flag.h"

int main() { run_consumer(/*stops_inside_the_lock=*/false); }
