// The model's mutex behind the program's; condition waits need it too.
#pragma once

#include <pthread.h>

#include "protocol/operations.h"

namespace heddle::runtime {

ObjectId mutex_object(pthread_mutex_t* mutex, Site site);

}  // namespace heddle::runtime
