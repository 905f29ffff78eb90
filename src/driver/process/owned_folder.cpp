// See owned_folder.h.
#include "driver/process/owned_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "driver/process/remove_tree.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

bool is_ours(const fs::path& directory) {
  struct stat status {};
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

std::vector<std::string> temporary_folders() {
  constexpr const char* kLast = "/tmp";
  std::vector<std::string> places;
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})  // as std::filesystem::temp_directory_path()
    if (const char* value = getenv(variable); places.empty() && value != nullptr && *value != '\0')
      places.emplace_back(value);
  if (places.empty() || places.front() != kLast) places.emplace_back(kLast);
  return places;
}

std::string make_owned_folder(const std::string& place, const std::string& prefix, std::error_code& error) {
  std::string name = (fs::path(place) / (prefix + "XXXXXX")).string();
  if (mkdtemp(name.data()) != nullptr) return name;
  error = last_error();
  return {};
}

// Locked from the moment the file has its name: whoever finds it unlocked knows that its owner is gone.
Descriptor claim_folder(const fs::path& folder, std::error_code& error) {
  const fs::path early = folder / "new";
  Descriptor file(open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || flock(file.get(), LOCK_EX | LOCK_NB) != 0 || rename(early.c_str(), (folder / kOwnerFile).c_str()) != 0)
    error = last_error();
  return file;
}

void remove_stale_folders(const std::string& prefix, const std::string& first) {
  for (const std::string& place : temporary_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (!entry.path().filename().string().starts_with(prefix) || !is_ours(entry.path())) continue;
      const Descriptor owner(open((entry.path() / kOwnerFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
      if (!owner || flock(owner.get(), LOCK_EX | LOCK_NB) != 0) continue;
      std::error_code ignored;
      if (!first.empty()) remove_tree(entry.path() / first, ignored);
      remove_tree(entry.path(), ignored);
    }
  }
}

}  // namespace heddle
