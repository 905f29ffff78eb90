// Heddle's version, as `heddle --version`, traces and reports give it.
#pragma once

namespace heddle {

inline constexpr const char* kHeddleVersion = "0.1.0";

}  // namespace heddle
