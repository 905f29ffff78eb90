// The instrumented modules of the program (instrument/table.h): programs and libraries that were built with heddle-cc.
#pragma once

#include "instrument/table.h"

namespace heddle::runtime {

// From now on plain accesses of all modules, also of those that are loaded later, are told to `accesses`; null: to
// nobody, which is what costs least.
void watch_accesses(const instrument::Accesses* accesses);
// While there is a listener, modules call it instead; it passes on to `beneath_listener`, which is what
// watch_accesses() was given last, or a table that does nothing. For an execution.
void listen_to_accesses(const instrument::Accesses* listener);
// The same for what may be a scheduling point.
void watch_points(const instrument::Points* points);

struct ExecutionWatch {
  // What modules that are loaded from now on get.
  const instrument::Accesses* accesses = nullptr;
  const instrument::Points* points = nullptr;
  const instrument::Accesses* listener = nullptr;
  const instrument::Accesses* beneath_listener = nullptr;
};
extern ExecutionWatch execution_watch;

// Does this code lie in one of them?
bool is_instrumented(const void* code);

}  // namespace heddle::runtime
