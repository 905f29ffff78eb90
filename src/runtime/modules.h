// Tells the driver which files are loaded where, so that it can name code addresses.
#pragma once

namespace heddle::runtime {

// Appends what has been loaded since the last call.
void publish_modules();
// Is this file the system's, and not the program's or its libraries'? By its folder, /lib or /usr/lib.
bool is_of_the_system(const char* path);

}  // namespace heddle::runtime
