// The program `heddle`; everything else is in the library, so that tests can call it.
#include "cli/command_line.h"
#include "cli/stack.h"

int main(int argument_count, char** arguments) {
  return heddle::cli::with_enough_stack([&] { return heddle::cli::run_command_line(argument_count, arguments); });
}
