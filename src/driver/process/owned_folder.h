// Folders of ours among the system's temporary files, named PREFIX followed by six letters. In each lies a file
// `owner`, which the process that made the folder keeps locked. If nobody holds the lock, that process was killed, and
// anybody of the same user may remove what it left.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "driver/process/descriptor.h"

namespace heddle {

inline constexpr const char* kOwnerFile = "owner";

// Where folders for temporary files are made: the one that the environment names, and /tmp. The first that can be used
// is.
std::vector<std::string> temporary_folders();

// Makes such a folder in `place`, for this user alone. Its path; empty: `error` says why there is none.
std::string make_owned_folder(const std::string& place, const std::string& prefix, std::error_code& error);
// Makes it ours: the lock lasts as long as the descriptor.
Descriptor claim_folder(const std::filesystem::path& folder, std::error_code& error);

// Removes those of this prefix whose owner was killed, from all temporary_folders(). Never one that is in use, or
// somebody else's. `first`: a folder in each that is removed before the rest, so that what can't be removed still has
// an owner's file; empty: none.
void remove_stale_folders(const std::string& prefix, const std::string& first);

}  // namespace heddle
