// What Status::instrumented counts: modules that were built with this version's heddle-cc, one each, and modules that
// were built with another version's, kOfAnotherVersion each. Nothing of the latter is seen.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr std::uint32_t kOfAnotherVersion = 1u << 16;

constexpr bool any_instrumented(std::uint32_t counted) { return counted % kOfAnotherVersion != 0; }
constexpr bool any_of_another_version(std::uint32_t counted) { return counted >= kOfAnotherVersion; }

}  // namespace heddle
