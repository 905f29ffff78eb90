// The detector's own stack: what the detector leaves behind in dead frames (epochs and numbers of places, which count
// up), and what walks from frame to frame, must not be on the program's, where loops.h compares what is there, and
// which may be small.
#pragma once

#include <cstdint>

using Aside = void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);

// The stack's upper end; null: there is none yet.
extern "C" __attribute__((visibility("hidden"))) void* heddle_detector_stack;

// Calls function(a, b, c, d) there. Not again from there; only where races are looked for.
extern "C" __attribute__((visibility("hidden"))) void heddle_call_aside(Aside function, std::uint64_t a,
                                                                        std::uint64_t b, std::uint64_t c,
                                                                        std::uint64_t d);
