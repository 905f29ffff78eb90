// The names of strategies.
#pragma once

#include "driver/target/options.h"

namespace heddle {

// Its word after --search=.
const char* search_name(SearchKind search);

}  // namespace heddle
