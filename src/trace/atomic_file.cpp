// Writing and reading whole files; see atomic_file.h.
#include "trace/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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

// Makes the rename itself durable; failing to is no reason to call the file lost.
void sync_folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// A device, a pipe or a link is written to; a rename would replace it.
bool is_no_plain_file(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

std::string write_directly(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return problem("could not write", path, errno);
  int error = write_to_disk(fd, content);
  if (::close(fd) != 0 && error == 0) error = errno;
  return error == 0 ? std::string() : problem("could not write", path, error);
}

}  // namespace

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
  if (::stat(path.c_str(), &status) == 0) return S_ISDIR(status.st_mode) ? problem("can't write", path, EISDIR) : "";
  const std::string::size_type slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? "" : problem("can't write", path, errno);
}

std::string write_file(const std::string& path, std::string_view content) {
  if (is_no_plain_file(path)) return write_directly(path, content);
  const std::string temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return problem("could not write", path, errno);
  int error = write_to_disk(fd, content);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return problem("could not write", path, error);
  }
  sync_folder_of(path);
  return {};
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
