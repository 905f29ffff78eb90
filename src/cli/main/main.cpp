// The program `heddle`; everything else is in the library, so that tests can call it.
#include "cli/command_line.h"

int main(int argument_count, char** arguments) { return heddle::cli::run_command_line(argument_count, arguments); }
