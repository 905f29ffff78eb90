// Which Heddle this is, as `heddle --version`, traces and reports say it.
#pragma once

namespace heddle {

inline constexpr const char* kHeddleVersion = "0.1.0";

}  // namespace heddle
