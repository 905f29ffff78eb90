// See folder_copy.h. Before a path below a folder is used, each folder on the way is checked to be the one that was
// laid there: a program may have replaced it by a link to a real folder.
#include "driver/process/folder_copy.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "driver/process/descriptor.h"
#include "driver/process/remove_tree.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 07777;
constexpr mode_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;

std::error_code last_error() { return {errno, std::generic_category()}; }

bool is_same_time(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

// A write through a mapping changes a file's times here, when the page is written to first. Elsewhere, on tmpfs say, it
// does not.
bool notes_writes_through_mappings(const fs::path& path) {
  constexpr decltype(statfs::f_type) kXfs = 0x58465342;  // not in magic.h
  struct statfs system {};
  if (statfs(path.c_str(), &system) != 0) return false;
  return system.f_type == EXT4_SUPER_MAGIC || system.f_type == BTRFS_SUPER_MAGIC || system.f_type == kXfs;
}

// These stay where they are: their paths are in mappings, debug information is looked for there, and they look for
// their own files beside them.
bool is_program(std::string_view content, mode_t mode) {
  return content.starts_with("\177ELF") || ((mode & kExecutable) != 0 && content.starts_with("#!"));
}

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

bool has_content(const fs::path& path, std::string_view content) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::array<char, 16384> block;
  while (file && !content.empty()) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !content.starts_with(std::string_view(block.data(), static_cast<std::size_t>(got)))) return false;
    content.remove_prefix(static_cast<std::size_t>(got));
  }
  return content.empty();
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

// In their order; nothing where there are more than `most`, or where that can't be found out.
std::optional<std::vector<std::string>> names_in(const fs::path& folder, std::size_t most) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (names.size() == most) return std::nullopt;
    names.push_back(entry->path().filename().string());
  }
  if (error) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

// Where a link at `path` below a copy of `from` leads to what it leads to in `from`: to the copy of that, if it is in
// there, and else nothing.
std::optional<std::string> target_within(const fs::path& from, const fs::path& path) {
  std::error_code error;
  fs::path said = fs::read_symlink(from / path, error);
  if (error) return std::nullopt;
  if (said.is_absolute()) said = said.lexically_relative(from).lexically_relative(path.parent_path());
  if (said.empty()) return std::nullopt;
  const fs::path where = (path.parent_path() / said).lexically_normal();
  return *where.begin() == ".." ? std::nullopt : std::optional(said.string());
}

}  // namespace

// Finds out what is small, then reads it.
class FolderCopy::Reader {
 public:
  Reader(fs::path from, const Limits& limits) : from_(std::move(from)), limits_(limits) {
    struct stat status {};
    if (lstat(from_.c_str(), &status) == 0) device_ = status.st_dev;
  }

  struct Size {
    std::size_t entries = 0, bytes = 0;
  };
  bool is_folder(const std::string& name) const {
    struct stat status {};
    return lstat((from_ / name).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  }

  // Adds what there is at this path. False: it is more than the limits allow, or can't be copied.
  bool measure(const fs::path& path, Size& size) {
    const bool at_top = !path.has_parent_path();
    struct stat status {};
    if ((!at_top && ++examined_ > limits_.examined) || lstat((from_ / path).c_str(), &status) != 0) return false;
    const bool folder = S_ISDIR(status.st_mode), file = S_ISREG(status.st_mode);
    ++size.entries;
    if (file) size.bytes += static_cast<std::size_t>(status.st_size);
    if (size.entries > limits_.entries || size.bytes > limits_.bytes) return false;
    if (!folder && !file) return !at_top || (S_ISLNK(status.st_mode) && target_within(from_, path));
    const mode_t needed = folder ? S_IRWXU : S_IRUSR;
    if (status.st_uid != geteuid() || status.st_gid != getegid() || status.st_dev != device_) return false;
    if ((status.st_mode & needed) != needed || (file && status.st_nlink > 1)) return false;
    if (!folder) return true;
    const auto names = names_in(from_ / path, limits_.entries);
    return names && std::all_of(names->begin(), names->end(),
                                [&](const std::string& name) { return measure(path / name, size); });
  }

  // Adds what there is at this path. False: it can't be copied after all.
  bool read(const fs::path& path, Piece& piece) const {
    struct stat status {};
    if (lstat((from_ / path).c_str(), &status) != 0) return false;
    Entry entry{path.string(), Kind::Link, status.st_mode & kPermissions, status.st_mtim, {}, {}};
    if (S_ISDIR(status.st_mode)) {
      entry.kind = Kind::Folder;
      piece.push_back(std::move(entry));
      const auto names = names_in(from_ / path, limits_.entries);
      return names && std::all_of(names->begin(), names->end(),
                                  [&](const std::string& name) { return read(path / name, piece); });
    }
    entry.content = (from_ / path).string();
    if (S_ISLNK(status.st_mode)) entry.content = target_within(from_, path).value_or(entry.content);
    if (S_ISREG(status.st_mode)) {
      std::string content;
      if (!read_file(from_ / path, static_cast<std::size_t>(status.st_size), content)) return false;
      const bool stays = is_program(content, status.st_mode);
      if (stays && !path.has_parent_path()) return false;
      if (!stays) entry.kind = Kind::File, entry.content = std::move(content);
    }
    piece.push_back(std::move(entry));
    return true;
  }

 private:
  fs::path from_;
  Limits limits_;
  dev_t device_ = 0;
  std::size_t examined_ = 0;
};

FolderCopy::FolderCopy(const fs::path& from, const std::set<std::string>& names, const Limits& limits) {
  Reader reader(from, limits);
  std::vector<std::pair<Reader::Size, std::string>> small;
  for (const bool folders : {false, true})  // files cost one look each, however many folders there are
    for (const std::string& name : names)
      if (Reader::Size size; reader.is_folder(name) == folders && reader.measure(name, size))
        small.emplace_back(size, name);
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
  if (entry.kind == Kind::Link) {
    if (symlink(entry.content.c_str(), path.c_str()) != 0) error = last_error();
  } else if (entry.kind == Kind::Folder) {
    if (mkdir(path.c_str(), S_IRWXU) != 0) error = last_error();
  } else {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRWXU));
    if (!file || !write_all(file.get(), entry.content) || fchmod(file.get(), entry.mode) != 0) error = last_error();
  }
  if (!error && entry.kind != Kind::Folder) set_times(path, entry.modified, error);
  if (!error && lstat(path.c_str(), &entry.laid) != 0) error = last_error();
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
  compares_content_ = compares_content_ || !notes_writes_through_mappings(to);
  make(piece->second, 0, to, error);
}

// A file with another name besides is none: to write to it would be seen by who has that name, wherever it is.
bool FolderCopy::is_what_was_copied(const Entry& entry, const fs::path& to, struct stat& status) {
  return lstat((to / entry.path).c_str(), &status) == 0 && status.st_ino == entry.laid.st_ino &&
         status.st_dev == entry.laid.st_dev && (status.st_mode & S_IFMT) == (entry.laid.st_mode & S_IFMT) &&
         (entry.kind == Kind::Folder || status.st_nlink == 1);
}

bool FolderCopy::is_as_it_was(const Entry& entry, const fs::path& to, const struct stat& status) const {
  return (status.st_mode & kPermissions) == entry.mode && is_same_time(status.st_mtim, entry.laid.st_mtim) &&
         is_same_time(status.st_ctim, entry.laid.st_ctim) && status.st_size == entry.laid.st_size &&
         (!compares_content_ || has_content(to / entry.path, entry.content));
}

// All that was laid is there, and nothing else is; then `changed` are the files that are not as they were.
bool FolderCopy::has_what_was_copied(Piece& piece, const fs::path& to, std::vector<Entry*>& changed) const {
  std::size_t there = 1;
  for (Entry& entry : piece) {
    struct stat status {};
    if (!is_what_was_copied(entry, to, status)) return false;
    if (entry.kind == Kind::File && !is_as_it_was(entry, to, status)) changed.push_back(&entry);
    if (entry.kind != Kind::Folder) continue;
    const auto names = names_in(to / entry.path, piece.size());
    if (!names) return false;
    there += names->size();
  }
  return there == piece.size();
}

void FolderCopy::write_again(Entry& entry, const fs::path& to, std::error_code& error) {
  const fs::path path = to / entry.path;
  if (chmod(path.c_str(), entry.mode | S_IWUSR) != 0) error = last_error();
  const Descriptor file(error ? -1 : open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (error) return;
  if (!file || !write_all(file.get(), entry.content) || fchmod(file.get(), entry.mode) != 0) error = last_error();
  if (!error) set_times(path, entry.modified, error);
  if (!error && lstat(path.c_str(), &entry.laid) != 0) error = last_error();
}

bool FolderCopy::restore(const std::string& name, const fs::path& to, std::error_code& error) {
  const auto found = pieces_.find(name);
  struct stat status {};
  if (found == pieces_.end() || !is_what_was_copied(found->second.front(), to, status)) return false;
  Piece& piece = found->second;
  std::vector<Entry*> changed;
  if (has_what_was_copied(piece, to, changed)) {
    for (Entry* entry : changed)
      if (!error) write_again(*entry, to, error);
    if (!error) finish_folders(piece, to, error);
    return true;
  }
  if (piece.front().kind != Kind::Folder) return false;
  if (chmod((to / name).c_str(), S_IRWXU) != 0) error = last_error();
  std::vector<fs::path> inner;
  for (fs::directory_iterator entry(to / name, error), end; !error && entry != end; entry.increment(error))
    inner.push_back(entry->path());
  for (const fs::path& path : inner)
    if (!error) remove_tree(path, error);
  if (!error) make(piece, 1, to, error);
  return true;
}

}  // namespace heddle
