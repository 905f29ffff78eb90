// Tells the driver which files are loaded where, so that it can name code addresses.
#pragma once

#include <cstdint>

#include "instrument/table.h"
#include "protocol/operations.h"

namespace heddle::runtime {

struct ExecutionModules {
  instrument::Module* first_instrumented = nullptr;  // of a list; null: nothing of the program is instrumented
};
extern ExecutionModules execution_modules;

// Appends what has been loaded since the last call.
void publish_modules();
// The same, once, where executions begin: these files are there in all of them.
void publish_modules_at_start();
// Appends a script, if it is not there. Returns its base (protocol/scripts.h); 0: there is no room.
Site publish_script(const char* path);
// Of the published file in which that place of the code is now: the how-manieth of the table, from 1; 0: in none.
std::uint32_t module_number_of(Site site);

}  // namespace heddle::runtime
