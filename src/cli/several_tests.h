// Programs of test frameworks. Heddle explores one run of the program: if that runs several tests, their searches are
// multiplied into one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// Full names from what `PROGRAM --gtest_list_tests` prints: of the tests that run, or of the disabled ones.
std::vector<std::string> listed_tests(std::string_view listing);
std::vector<std::string> disabled_tests(std::string_view listing);

// What to tell the user when a program ran several tests: the commands that run one each. Empty when it ran fewer than
// two. `program_output` tells how many; a GoogleTest program is asked for their names.
std::string several_tests_note(const std::string& program, const std::vector<std::string>& command,
                               std::string_view program_output);

}  // namespace heddle::cli
