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
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  return error ? problem(parent.string(), error.value()) : std::string();
}

// An empty folder that the user made for us; of several runs that see it empty, the one that makes the first file gets
// it.
bool claim_empty(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error) || !fs::is_empty(path, error) || error) {
    errno = EEXIST;
    return false;
  }
  const int fd = ::open((path + "/" + kReportFile).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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

std::string OutputFolder::make_wanted() {
  std::string error = make_parents(wanted_);
  if (!error.empty()) return error;
  if (::mkdir(wanted_.c_str(), 0777) == 0 || claim_empty(wanted_)) {
    path_ = wanted_;
    return {};
  }
  return errno == EEXIST ? make_numbered(wanted_, "-", 2) : problem(wanted_, errno);
}

std::string OutputFolder::make_numbered(const std::string& base, const std::string& separator, unsigned first) {
  std::string error = make_parents(base);
  if (!error.empty()) return error;
  for (unsigned number = first; number < kMaxNumber; ++number) {
    const std::string path = fmt::format("{}{}{}", base, separator, number);
    if (::mkdir(path.c_str(), 0777) == 0) {
      path_ = path;
      return {};
    }
    if (errno != EEXIST) return problem(path, errno);
  }
  return fmt::format("there are too many folders {}{}N; remove old ones", base, separator);
}

// A link under another name, moved over the old one: somebody who looks always finds a link. That it can't be made is
// no reason to lose the bug.
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
