// Removes what a program has left in a folder that was made for it.
#pragma once

#include <filesystem>
#include <system_error>

namespace heddle {

// A file, or a folder with all that is in it, also where the program has made folders of ours unwritable. Links are
// removed, and never followed. That there is nothing is no error.
void remove_tree(const std::filesystem::path& path, std::error_code& error);

}  // namespace heddle
