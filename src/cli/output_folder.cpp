// Making the output folder; see output_folder.h. mkdir() is what makes a number ours: it succeeds for one process only.
#include "cli/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "trace/atomic_file.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxNumber = 1'000'000;

std::string problem(const std::string& path, int error) {
  return fmt::format("the folder {} can't be made: {}", path, std::strerror(error));
}

// All folders above `path`, and those in it.
std::string make_parents(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  const int error = parent.empty() ? 0 : make_folders(parent);
  return error != 0 ? problem(parent, error) : std::string();
}

// Also while its name is given to another folder, or to a link, we write into this one. Nobody else owns it.
Descriptor open_own(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0) return {};
  if (status.st_uid == ::geteuid()) return folder;
  errno = EACCES;
  return {};
}

// An empty folder that the user made for us; of several runs that see it empty, the one that makes the first file gets
// it. What a link leads to is not claimed.
bool claim_empty(const std::string& path) {
  std::error_code error;
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || !fs::is_empty(path, error) || error) {
    errno = EEXIST;
    return false;
  }
  const int fd = ::openat(folder.get(), kReportFile, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

}  // namespace

OutputFolder::OutputFolder(std::string wanted, std::string program, std::string root)
    : wanted_(std::move(wanted)), program_(std::move(program)), root_(std::move(root)) {
  while (wanted_.size() > 1 && wanted_.back() == '/') wanted_.pop_back();  // `DIR-2` is to be beside it, not inside
}

std::string OutputFolder::check(const std::string& wanted) {
  std::error_code error;
  fs::path existing = fs::absolute(wanted, error);
  while (!error && existing.has_relative_path() && !fs::exists(fs::symlink_status(existing)))
    existing = existing.parent_path();
  std::string probe = (existing / ".heddle-XXXXXX").string();  // only trying tells: /proc says yes to every question
  if (::mkdtemp(probe.data()) == nullptr) return problem(wanted, errno);
  ::rmdir(probe.c_str());
  return {};
}

std::string OutputFolder::make() {
  if (made()) return {};
  std::string error;
  if (wanted_.empty()) {
    error = make_numbered(fmt::format("{}/{}", root_, file_name(program_)), "-", 1);
  } else {
    error = make_wanted();
  }
  if (error.empty()) point_latest_here();
  return error;
}

std::string OutputFolder::open_made(const std::string& path) {
  folder_ = open_own(path);
  if (!folder_) return problem(path, errno);
  path_ = path;
  return {};
}

bool OutputFolder::take_over(const std::string& path) { return open_made(path).empty(); }

std::string OutputFolder::write(const std::string& name, std::string_view content) const {
  return write_file_in(folder_.get(), name, content, file(name));
}

std::string OutputFolder::make_wanted() {
  std::string error = make_parents(wanted_);
  if (!error.empty()) return error;
  if (::mkdir(wanted_.c_str(), kFolderMode) == 0 || claim_empty(wanted_)) {
    return open_made(wanted_);
  }
  return errno == EEXIST ? make_numbered(wanted_, "-", 2) : problem(wanted_, errno);
}

std::string OutputFolder::make_numbered(const std::string& base, const std::string& separator, unsigned first) {
  std::string error = make_parents(base);
  if (!error.empty()) return error;
  for (unsigned number = first; number < kMaxNumber; ++number) {
    const std::string path = fmt::format("{}{}{}", base, separator, number);
    if (::mkdir(path.c_str(), kFolderMode) == 0) return open_made(path);
    if (errno != EEXIST) return problem(path, errno);
  }
  return fmt::format("there are too many folders {}{}N; remove old ones", base, separator);
}

// A link under another name, moved over the old one: somebody who looks always finds a link. That it can't be made is
// no reason to lose the bug. Without a root there is none to point from.
void OutputFolder::point_latest_here() const {
  std::error_code error;
  if (!fs::is_directory(root_, error)) return;
  const fs::path target = wanted_.empty() ? fs::path(file_name(path_)) : fs::absolute(path_, error);
  const std::string link = fmt::format("{}/{}", root_, kLatest), temporary = fmt::format("{}.{}", link, ::getpid());
  ::unlink(temporary.c_str());
  if (::symlink(target.c_str(), temporary.c_str()) == 0 && ::rename(temporary.c_str(), link.c_str()) != 0)
    ::unlink(temporary.c_str());
}

}  // namespace heddle::cli
