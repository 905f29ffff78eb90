// Services that the user has declared (--service). They stand among the places of loops (RunOptions::spins), each by
// its name at first; the places where such threads wait follow when an execution has shown them. kOnlyDeclared in place
// of a name: nobody counts as a service who was only seen to be one (analysis/seen_services.h).
#pragma once

#include <string>
#include <vector>

#include "protocol/services.h"
#include "trace/code_place.h"

namespace heddle {

inline constexpr std::uint64_t kNoPlaceYet = UINT64_MAX;
inline constexpr const char* kOnlyDeclared = "none";

// `name`: of a function, or of the thread.
inline SpinLoop declared_service(const std::string& name) { return {{name, kNoPlaceYet}, kServicePeriod}; }
inline bool is_name_of_service(const SpinLoop& loop) {
  return loop.period == kServicePeriod && loop.place.offset == kNoPlaceYet;
}
inline std::vector<SpinLoop> without_names(std::vector<SpinLoop> loops) {
  std::erase_if(loops, is_name_of_service);
  return loops;
}

}  // namespace heddle
