// The program `heddle`; everything else is in the library, so that tests can call it.
#include "cli/command_line.h"
#include "cli/stack.h"
#include "driver/process/passed_on.h"

int main(int argument_count, char** arguments) {
  heddle::passed_on_descriptors();  // before any are opened
  return heddle::cli::with_enough_stack([&] { return heddle::cli::run_command_line(argument_count, arguments); });
}
