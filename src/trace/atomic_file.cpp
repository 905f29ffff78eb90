// Writing and reading whole files; see atomic_file.h.
#include "trace/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace heddle {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

std::string problem(const char* doing, const std::string& path, int error) {
  return fmt::format("{} {}: {}", doing, path, std::strerror(error));
}

// 0 or an errno value.
int write_to_disk(int fd, std::string_view content) {
  if (const int error = write_all(fd, content); error != 0) return error;
  return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string name_in_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

// O_PATH where the folder may be searched and written to but not read: then it can't be synced.
int open_folder(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd >= 0 || errno != EACCES ? fd : ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// Nobody can put something in its way, since nobody can guess it.
std::string random_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint64_t>(::getpid()) << 32 ^ reinterpret_cast<std::uintptr_t>(&number);
  return fmt::format(".heddle-{:016x}", number);
}

// Only the system makes links there, and /dev/stdout is one.
bool is_named_by_the_system(std::string_view path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

// A device or a pipe is written to; a rename would replace it.
bool is_written_to_directly(const std::string& path) {
  struct stat found {};
  if (is_named_by_the_system(path)) return true;
  return ::lstat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode);
}

int open_directly(const std::string& path) {
  const bool system = is_named_by_the_system(path);
  return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (system ? O_CREAT | O_TRUNC : O_NOFOLLOW), kFileMode);
}

std::string write_directly(const std::string& path, std::string_view content) {
  const int fd = open_directly(path);
  if (fd < 0) return problem("could not write", path, errno);
  int error = write_to_disk(fd, content);
  if (::close(fd) != 0 && error == 0) error = errno;
  return error == 0 ? std::string() : problem("could not write", path, error);
}

// The rest of writing a file that was created (`error` is 0) or was not.
std::string fill_and_put(AtomicFile& file, int error, std::string_view content, const std::string& path) {
  if (error == 0) error = write_to_disk(file.descriptor(), content);
  if (error == 0) error = file.put();
  return error == 0 ? std::string() : problem("could not write", path, error);
}

}  // namespace

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  if (file_ >= 0) ::close(file_);
  if (folder_ >= 0) ::close(folder_);
}

int AtomicFile::create(const std::string& path) {
  folder_ = open_folder(folder_of(path).c_str());
  if (folder_ < 0) return errno;
  name_ = name_in_folder(path);
  return create_here();
}

int AtomicFile::create_in(int folder, const std::string& name) {
  folder_ = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  if (folder_ < 0) return errno;
  name_ = name;
  return create_here();
}

// Without a name where the file system can do that: then nothing is left even if we are killed.
int AtomicFile::create_here() {
  if (name_.empty()) return EISDIR;
  file_ = ::openat(folder_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode);
  return file_ >= 0 ? 0 : open_with_a_name();
}

int AtomicFile::open_with_a_name() {
  const std::string name = random_name();
  file_ = ::openat(folder_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode);
  if (file_ < 0) return errno;
  temporary_ = name;
  return 0;
}

int AtomicFile::put() {
  if (temporary_.empty()) {
    const std::string name = random_name();
    const std::string open_file = fmt::format("/proc/self/fd/{}", file_);
    if (::linkat(AT_FDCWD, open_file.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return errno;
    temporary_ = name;
  }
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) return errno;
  temporary_.clear();
  ::fsync(folder_);  // makes the rename itself durable; failing to is no reason to call the file lost
  return 0;
}

int AtomicFile::take_descriptor() { return std::exchange(file_, -1); }

int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string why_not_writable(const std::string& path) {
  struct stat status {};
  if (!is_named_by_the_system(path) && ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    return fmt::format("can't write {}: it is a link, and Heddle follows none; name the file that is meant", path);
  if (::stat(path.c_str(), &status) == 0) return S_ISDIR(status.st_mode) ? problem("can't write", path, EISDIR) : "";
  return ::access(folder_of(path).c_str(), W_OK | X_OK) == 0 ? "" : problem("can't write", path, errno);
}

std::string write_file(const std::string& path, std::string_view content) {
  if (is_written_to_directly(path)) return write_directly(path, content);
  AtomicFile file;
  return fill_and_put(file, file.create(path), content, path);
}

std::string write_file_in(int folder, const std::string& name, std::string_view content, const std::string& path) {
  AtomicFile file;
  return fill_and_put(file, file.create_in(folder, name), content, path);
}

int open_to_grow(const std::string& path) {
  if (is_written_to_directly(path)) return open_directly(path);
  AtomicFile file;
  int error = file.create(path);
  if (error == 0) error = file.put();
  if (error == 0) return file.take_descriptor();
  errno = error;
  return -1;
}

int make_folders(const std::string& path) {
  for (std::size_t at = path.find_first_not_of('/'); at != std::string::npos; at = path.find_first_not_of('/', at)) {
    at = std::min(path.find('/', at), path.size());
    if (::mkdir(path.substr(0, at).c_str(), kFolderMode) == 0 || errno == EEXIST || errno == EISDIR) continue;
    if (const int error = errno; ::access(path.substr(0, at).c_str(), F_OK) != 0) return error;
  }
  struct stat found {};
  if (::stat(path.empty() ? "." : path.c_str(), &found) != 0) return errno;
  return S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
}

FileContent read_file(const std::string& path) {
  FileContent result;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    result.error = problem("could not read", path, errno);
    return result;
  }
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0 && result.content.size() < kMaxFileBytes)
    result.content.append(buffer, static_cast<std::size_t>(got));
  if (got < 0) result.error = problem("could not read", path, errno);
  if (result.content.size() >= kMaxFileBytes) result.error = fmt::format("could not read {}: larger than 1 GiB", path);
  ::close(fd);
  return result;
}

}  // namespace heddle
