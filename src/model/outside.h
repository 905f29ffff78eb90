// What comes from the world outside: the runtime asks the kernel, and tells the model.
#pragma once

#include "model/world.h"

namespace heddle::model {

// Whether what the pending operation of `id` waits for outside has come.
inline void set_ready(World& world, TaskId id, bool ready) {
  world.task(id).pending.argument = ready ? 0 : kNotReady;
  world.reevaluate(id);
}

}  // namespace heddle::model
