// Tells the driver which files are loaded where, so that it can name code addresses.
#pragma once

namespace heddle::runtime {

// Appends what has been loaded since the last call.
void publish_modules();

}  // namespace heddle::runtime
