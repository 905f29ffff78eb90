// What Status::instrumented counts: 1 for each module that was built with this version's heddle-cc, and
// kOfAnotherVersion for each that was built with another version's. The accesses of the latter are not seen.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr std::uint32_t kOfAnotherVersion = 1u << 16;

constexpr bool any_instrumented(std::uint32_t counted) { return counted % kOfAnotherVersion != 0; }
constexpr bool any_of_another_version(std::uint32_t counted) { return counted >= kOfAnotherVersion; }

}  // namespace heddle
