// See death_signal.h.
#include "runtime/death_signal.h"

#include <signal.h>
#include <sys/prctl.h>

#include "runtime/os/system_call.h"

namespace heddle::runtime {

void keep_death_signal() { os::system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace heddle::runtime
