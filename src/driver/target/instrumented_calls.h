// What can be seen in a program's code: where it calls the instrumentation of heddle-cc, where it makes calls at all,
// and whether it has atomic operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// The addresses that these calls return to, from the file's load bias, in ascending order: what the runtime knows a
// place of an access by. Empty: there are none, or the file has no symbols or can't be read.
std::vector<std::uint64_t> instrumented_calls(const std::string& path);
// The same of all calls, by which places are known where memory is given back: free() is often jumped to, so that its
// caller is whoever has called that function. Among them may be what is no call.
std::vector<std::uint64_t> all_calls(const std::string& path);
// Has its code atomic operations that write, as far as they can't well be other bytes? Atomic reads look like others.
bool has_atomic_updates(const std::string& path);

}  // namespace heddle
