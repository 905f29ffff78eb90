// See folder_copy.h.
#include "driver/folder_copy.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "driver/descriptor.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 07777;

std::error_code last_error() { return {errno, std::generic_category()}; }

bool is_same_time(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

bool is_on_tmpfs(const fs::path& path) {
  struct statfs system {};
  return statfs(path.c_str(), &system) != 0 || system.f_type == TMPFS_MAGIC;
}

// Programs and libraries stay where they are: their paths are in mappings, and debug information is looked for there.
bool is_program(std::string_view content) { return content.starts_with("\177ELF"); }

// Up to `most` bytes. False: it can't be read.
bool read_file(const fs::path& path, std::size_t most, std::string& content) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return false;
  content.resize(most);
  std::size_t size = 0;
  while (size < most) {
    const ssize_t got = ::read(file.get(), content.data() + size, most - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  content.resize(size);
  return true;
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void set_times(const fs::path& path, const timespec& modified, std::error_code& error) {
  const timespec times[] = {modified, modified};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) error = last_error();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Where a link in `folder` (below a folder that is copied) must lead so that it means the same: what it says, unless
// that is outside.
std::string link_target(const fs::path& from, const fs::path& path) {
  std::error_code error;
  const fs::path said = fs::read_symlink(from / path, error);
  if (said.is_absolute()) return said.string();
  const fs::path where = (path.parent_path() / said).lexically_normal();
  return error || *where.begin() == ".." ? (from / path).string() : said.string();
}

}  // namespace

// Finds out what is small, then reads it.
class FolderCopy::Reader {
 public:
  Reader(fs::path from, const Limits& limits) : from_(std::move(from)), limits_(limits) {}

  struct Size {
    std::size_t entries = 0, bytes = 0;
  };
  // Adds what there is at this path. False: it is more than the limits allow, or can't be copied.
  bool measure(const fs::path& path, Size& size) {
    struct stat status {};
    if (++looked_at_ > limits_.looked_at || lstat((from_ / path).c_str(), &status) != 0) return false;
    const bool at_top = !path.has_parent_path();
    const bool folder = S_ISDIR(status.st_mode), file = S_ISREG(status.st_mode);
    ++size.entries;
    if (file) size.bytes += static_cast<std::size_t>(status.st_size);
    if (size.entries > limits_.entries || size.bytes > limits_.bytes) return false;
    if (!folder && !file) return !at_top;
    const mode_t needed = folder ? S_IRWXU : S_IRUSR;
    if (status.st_uid != geteuid() || (status.st_mode & needed) != needed) return false;
    if (!folder) return true;
    for (const std::string& name : names_in(from_ / path))
      if (!measure(path / name, size)) return false;
    return true;
  }

  // Adds what there is at this path. False: it can't be copied after all.
  bool read(const fs::path& path, Piece& piece) const {
    struct stat status {};
    if (lstat((from_ / path).c_str(), &status) != 0) return false;
    Entry entry{path.string(), Kind::Link, status.st_mode & kPermissions, status.st_mtim, {}, 0};
    if (S_ISDIR(status.st_mode)) {
      entry.kind = Kind::Folder;
      piece.push_back(std::move(entry));
      for (const std::string& name : names_in(from_ / path))
        if (!read(path / name, piece)) return false;
      return true;
    }
    if (S_ISREG(status.st_mode)) {
      entry.kind = Kind::File;
      if (!read_file(from_ / path, static_cast<std::size_t>(status.st_size), entry.content)) return false;
      if (is_program(entry.content)) {
        if (!path.has_parent_path()) return false;
        entry.kind = Kind::Link;
        entry.content = (from_ / path).string();
      }
    } else {
      entry.content = S_ISLNK(status.st_mode) ? link_target(from_, path) : (from_ / path).string();
    }
    piece.push_back(std::move(entry));
    return true;
  }

 private:
  fs::path from_;
  Limits limits_;
  std::size_t looked_at_ = 0;
};

FolderCopy::FolderCopy(const fs::path& from, const std::set<std::string>& names, const Limits& limits) {
  Reader reader(from, limits);
  std::vector<std::pair<Reader::Size, std::string>> small;
  for (const std::string& name : names)
    if (Reader::Size size; reader.measure(name, size)) small.emplace_back(size, name);
  std::stable_sort(small.begin(), small.end(), [](const auto& one, const auto& other) {
    return std::pair(one.first.bytes, one.first.entries) < std::pair(other.first.bytes, other.first.entries);
  });
  Reader::Size taken;
  for (const auto& [size, name] : small) {
    if (taken.entries + size.entries > limits.entries || taken.bytes + size.bytes > limits.bytes) continue;
    Piece piece;
    if (!reader.read(name, piece)) continue;
    taken.entries += size.entries;
    taken.bytes += size.bytes;
    pieces_.emplace(name, std::move(piece));
  }
}

void FolderCopy::make(Entry& entry, const fs::path& to, std::error_code& error) {
  const fs::path path = to / entry.path;
  struct stat status {};
  if (entry.kind == Kind::Link) {
    if (symlink(entry.content.c_str(), path.c_str()) != 0) error = last_error();
  } else if (entry.kind == Kind::Folder) {
    if (mkdir(path.c_str(), S_IRWXU) != 0) error = last_error();
  } else {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRWXU));
    if (!file || !write_all(file.get(), entry.content) || fchmod(file.get(), entry.mode) != 0) error = last_error();
  }
  if (!error && entry.kind != Kind::Folder) set_times(path, entry.modified, error);
  if (!error && lstat(path.c_str(), &status) != 0) error = last_error();
  entry.laid = status.st_ino;
}

// A folder's own mode and time come last: what is made in it changes its time.
void FolderCopy::finish_folders(const Piece& piece, const fs::path& to, std::error_code& error) {
  for (auto entry = piece.rbegin(); entry != piece.rend(); ++entry) {
    if (error) return;
    if (entry->kind != Kind::Folder) continue;
    const fs::path path = to / entry->path;
    if (chmod(path.c_str(), entry->mode) != 0) error = last_error();
    if (!error) set_times(path, entry->modified, error);
  }
}

void FolderCopy::make(Piece& piece, std::size_t first, const fs::path& to, std::error_code& error) {
  for (std::size_t i = first; i < piece.size() && !error; ++i) make(piece[i], to, error);
  finish_folders(piece, to, error);
}

void FolderCopy::lay(const std::string& name, const fs::path& to, std::error_code& error) {
  const auto piece = pieces_.find(name);
  if (piece == pieces_.end()) return;
  compares_content_ = compares_content_ || is_on_tmpfs(to);
  make(piece->second, 0, to, error);
}

bool FolderCopy::is_what_was_laid(const Entry& entry, const fs::path& to, struct stat& status) {
  const mode_t kind = entry.kind == Kind::File ? S_IFREG : entry.kind == Kind::Folder ? S_IFDIR : S_IFLNK;
  return lstat((to / entry.path).c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind &&
         status.st_ino == entry.laid;
}

// What the file system says of a file is not enough on tmpfs: a write through a mapping leaves its time as it was.
bool FolderCopy::is_as_it_was(const Entry& entry, const fs::path& to, const struct stat& status) const {
  if ((status.st_mode & kPermissions) != entry.mode || !is_same_time(status.st_mtim, entry.modified) ||
      static_cast<std::size_t>(status.st_size) != entry.content.size())
    return false;
  std::string found;
  return entry.content.empty() || !compares_content_ ||
         (read_file(to / entry.path, entry.content.size(), found) && found == entry.content);
}

// All that was laid is there, and nothing else is; then `changed` are the files that are not as they were.
bool FolderCopy::has_what_was_laid(const Piece& piece, const fs::path& to, std::vector<const Entry*>& changed) const {
  std::size_t there = 1;
  for (const Entry& entry : piece) {
    struct stat status {};
    if (!is_what_was_laid(entry, to, status)) return false;
    if (entry.kind == Kind::File && !is_as_it_was(entry, to, status)) changed.push_back(&entry);
    if (entry.kind != Kind::Folder) continue;
    std::error_code error;
    there += static_cast<std::size_t>(
        std::distance(fs::directory_iterator(to / entry.path, error), fs::directory_iterator()));
    if (error) return false;
  }
  return there == piece.size();
}

void FolderCopy::write_again(const Entry& entry, const fs::path& to, std::error_code& error) {
  const fs::path path = to / entry.path;
  if (chmod(path.c_str(), entry.mode | S_IWUSR) != 0) error = last_error();
  const Descriptor file(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (!file || !write_all(file.get(), entry.content) || fchmod(file.get(), entry.mode) != 0) error = last_error();
  if (!error) set_times(path, entry.modified, error);
}

// What a program has closed to itself can be emptied again. Never through a link, which may lead to the real folder.
void FolderCopy::open_folders(const Piece& piece, const fs::path& to) {
  constexpr auto kHow = fs::perm_options::replace | fs::perm_options::nofollow;
  for (const Entry& entry : piece)
    if (std::error_code ignored; entry.kind == Kind::Folder)
      fs::permissions(to / entry.path, fs::perms::owner_all, kHow, ignored);
}

bool FolderCopy::put_back(const std::string& name, const fs::path& to, std::error_code& error) {
  const auto found = pieces_.find(name);
  struct stat status {};
  if (found == pieces_.end() || !is_what_was_laid(found->second.front(), to, status)) return false;
  Piece& piece = found->second;
  std::vector<const Entry*> changed;
  if (!has_what_was_laid(piece, to, changed)) {
    open_folders(piece, to);
    for (const std::string& inner : names_in(to / name))
      if (!error) fs::remove_all(to / name / inner, error);
    if (!error) make(piece, 1, to, error);
    return true;
  }
  for (const Entry* entry : changed)
    if (!error) write_again(*entry, to, error);
  if (!error) finish_folders(piece, to, error);
  return true;
}

}  // namespace heddle
