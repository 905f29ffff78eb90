// This module's record, which the runtime fills in; see table.h. This library is linked into other people's programs
// and shared libraries, which also run natively. So it has no C++ runtime library, no exceptions, no RTTI, no
// thread-safe statics and no malloc; all symbols are hidden; natively nothing costs more than one load and a branch.
#pragma once

#include "instrument/table.h"

#define HEDDLE_INSTRUMENT extern "C" __attribute__((visibility("hidden"), used))
#define HEDDLE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HEDDLE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
// Behind the call in the program: these functions are called by the instrumented code itself.
#define HEDDLE_CALLED_FROM __builtin_return_address(0)

extern "C" __attribute__((visibility("hidden"))) heddle::instrument::Module heddle_module;
// Of the runtime, for races that are declared benign before the search begins; null: there is none.
extern "C" __attribute__((visibility("hidden"))) heddle::instrument::BenignRace heddle_benign_race_before;
