// See remove_tree.h.
#include "driver/process/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string_view>

namespace heddle {
namespace {

constexpr unsigned kDeepest = 256;  // of folders that are opened up; each takes a descriptor

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

// Gives us back the folder `name` of `parent`, and those in it. Each is reached from the one around it, so that no link
// leads elsewhere.
void open_up(int parent, const char* name, unsigned depth) {
  struct stat status {};
  if (depth == 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return;
  if ((status.st_mode & S_IRWXU) != S_IRWXU && fchmodat(parent, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) != 0) return;
  const int opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const Folder folder(opened >= 0 ? fdopendir(opened) : nullptr, closedir);
  if (!folder) {
    if (opened >= 0) close(opened);
    return;
  }
  while (const dirent* entry = readdir(folder.get()))
    if (const std::string_view inner = entry->d_name; inner != "." && inner != "..")
      open_up(dirfd(folder.get()), entry->d_name, depth - 1);
}

}  // namespace

void remove_tree(const std::filesystem::path& path, std::error_code& error) {
  std::filesystem::remove_all(path, error);
  if (error != std::errc::permission_denied) return;
  open_up(AT_FDCWD, path.c_str(), kDeepest);
  std::filesystem::remove_all(path, error);
}

}  // namespace heddle
