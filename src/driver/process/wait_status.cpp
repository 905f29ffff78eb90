// See wait_status.h.
#include "driver/process/wait_status.h"

#include <string.h>
#include <sys/wait.h>

namespace heddle {

std::string describe_status(int status) {
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const char* text = sigdescr_np(number);
  return "was ended by signal " + std::to_string(number) + " (" + (text != nullptr ? text : "unknown") + ")";
}

}  // namespace heddle
