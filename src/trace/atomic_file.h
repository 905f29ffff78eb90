// Files that are either there as a whole or not at all: written under a temporary name in the same folder, synced,
// renamed.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// What is there and is no plain file (a device, a pipe, a link) is written to directly.
// Empty when all went well, else a sentence that names the path and the reason (a full disk, no permission …).
std::string write_file(const std::string& path, std::string_view content);
// Whether that would fail for sure, before anything was done: empty, or such a sentence. Nothing is made or changed.
std::string why_not_writable(const std::string& path);

// All of it, also where the system takes it in pieces; 0 or an errno value.
int write_all(int descriptor, std::string_view content);

// What reading a whole file gave: `error` is empty when `content` is good.
struct FileContent {
  std::string content;
  std::string error;
};
FileContent read_file(const std::string& path);

}  // namespace heddle
