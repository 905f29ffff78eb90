// Descriptors that whoever started Heddle left open. The program gets these and no others, so the numbers of those that
// it opens depend on them alone: not on what Heddle, or a library of its, has open when the program is started.
#pragma once

#include <vector>

namespace heddle {

inline constexpr int kMostPassedOn = 1023;

// Their numbers, ascending, without the first three and those beyond kMostPassedOn. As they are at the first call: to
// be made before Heddle opens anything.
const std::vector<int>& passed_on_descriptors();
// From here on the program gets one with this number, which reads as an empty file. False: the number is not free.
bool pass_on_empty_file(int number);
// From here on the program does not get it.
void keep_back(int number);
// In a child, before exec; system calls only.
void close_all_but_passed_on();

}  // namespace heddle
