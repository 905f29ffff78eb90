// The detector's own stack. The detector leaves epochs and numbers of places in dead frames, and both count up: on the
// program's stacks loops.h would find them different each time. Also, those stacks may be too small to unwind on.
#pragma once

#include <cstdint>

using Aside = void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);

// The stack's upper end; null: there is none yet.
extern "C" __attribute__((visibility("hidden"))) void* heddle_detector_stack;

// Calls function(a, b, c, d) there. Not again from there; only where races are looked for.
extern "C" __attribute__((visibility("hidden"))) void heddle_call_aside(Aside function, std::uint64_t a,
                                                                        std::uint64_t b, std::uint64_t c,
                                                                        std::uint64_t d);
