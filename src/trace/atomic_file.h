// Files that are either there as a whole or not at all: written without a name or under a random one in the same
// folder, synced, renamed. Everything that Heddle writes for the user goes through here.
//
// A folder may be one that others can write to. So no link is followed that somebody may have put there, nothing that
// has a name is opened for writing, and only the user can read what is written (mode 0600).
#pragma once

#include <string>
#include <string_view>

namespace heddle {

inline constexpr unsigned kFileMode = 0600;
inline constexpr unsigned kFolderMode = 0700;

// A file that is being written. Nobody finds it under its name before put(); without put() nothing is left of it.
class AtomicFile {
 public:
  AtomicFile() = default;
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Each returns 0 or an errno value. `name` is in `folder` (a descriptor) and holds no slash.
  int create(const std::string& path);
  int create_in(int folder, const std::string& name);
  // Gives the file its name. What had the name before is replaced, also if it is a link.
  int put();

  int descriptor() const { return file_; }
  // The caller closes it.
  int take_descriptor();

 private:
  int create_here();
  int open_with_a_name();

  int folder_ = -1;
  int file_ = -1;
  std::string name_;
  std::string temporary_;  // empty: the file has no name yet
};

// What is there and is no plain file (a device, a pipe) is written to directly, and so is what /dev and /proc name.
// Any other link is replaced. Empty when all went well, else a sentence that names the path and the reason (a full
// disk, no permission …).
std::string write_file(const std::string& path, std::string_view content);
// The same for a new file in a folder that is open: whatever became of the folder's name. `path` is for the sentence.
std::string write_file_in(int folder, const std::string& name, std::string_view content, const std::string& path);
// A file that grows while it is there: an empty one takes the name at once. A descriptor, or -1 and errno.
int open_to_grow(const std::string& path);
// For a path that the user gave: whether that would fail for sure, or go through a link, before anything was done.
// Empty, or such a sentence. Nothing is made or changed.
std::string why_not_writable(const std::string& path);
// All folders that `path` names, for the user alone where they are not there. 0 or an errno value.
int make_folders(const std::string& path);

// All of it, also where the system takes it in pieces; 0 or an errno value.
int write_all(int descriptor, std::string_view content);

// What reading a whole file gave: `error` is empty when `content` is good.
struct FileContent {
  std::string content;
  std::string error;
};
FileContent read_file(const std::string& path);

}  // namespace heddle
