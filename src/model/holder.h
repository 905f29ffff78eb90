// Who holds an object: a deadlock report shows it beside each waiting task.
#pragma once

#include "model/world.h"

namespace heddle::model {

// Who keeps `object` from being taken (an owner, the thread to be joined), and where it was taken; kNoTask if nobody
// does.
TaskId holder(const World& world, ObjectId object, Site* since);

}  // namespace heddle::model
