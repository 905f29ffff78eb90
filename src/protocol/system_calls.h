// System calls by their names.
#pragma once

namespace heddle {

// As in SYS_name; null for a number that x86-64 did not have when Heddle was built.
const char* system_call_name(long number);

}  // namespace heddle
