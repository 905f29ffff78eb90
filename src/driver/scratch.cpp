// See scratch.h.
#include "driver/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "protocol/shared.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwner = "owner";
constexpr const char* kWork = "work";

std::error_code last_error() { return {errno, std::generic_category()}; }

// The file `owner`, locked by us from the moment it has that name: whoever finds it unlocked knows that its run is
// gone.
Descriptor claim(const fs::path& home, std::error_code& error) {
  const fs::path early = home / "new";
  Descriptor file(open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || flock(file.get(), LOCK_EX | LOCK_NB) != 0 || rename(early.c_str(), (home / kOwner).c_str()) != 0)
    error = last_error();
  return file;
}

std::string make_home(std::error_code& error) {
  std::string name = (fs::temp_directory_path(error) / (std::string(kScratchPrefix) + "XXXXXX")).string();
  if (error) return {};
  if (mkdtemp(name.data()) != nullptr) return name;
  error = last_error();
  return {};
}

void remove_contents(const fs::path& directory, std::error_code& error) {
  for (const auto& entry : fs::directory_iterator(directory, error)) fs::remove_all(entry.path(), error);
}

// Links, not copies: large data costs nothing. A program that changes a file which was there changes the real one.
std::map<std::string, std::string> fill(const fs::path& directory, const std::set<std::string>& wanted,
                                        std::error_code& error) {
  std::map<std::string, std::string> links;
  const fs::path here = fs::current_path(error);
  for (const std::string& name : wanted) {
    struct stat status {};
    if (error) return links;
    if (lstat((here / name).c_str(), &status) != 0) continue;
    const std::string target = (here / name).string();
    fs::create_symlink(target, directory / name, error);
    links[name] = target;
  }
  return links;
}

bool leads_to(const fs::path& link, const std::string& target) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(link, error)) && fs::read_symlink(link, error) == target;
}

bool is_ours(const fs::path& directory) {
  struct stat status {};
  return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

std::set<std::string> names_here() {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(".", error)) names.insert(entry.path().filename().string());
  return names;
}

void remove_stale_scratch() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return;
  for (const auto& entry : fs::directory_iterator(base, error)) {
    if (!entry.path().filename().string().starts_with(kScratchPrefix) || !is_ours(entry.path())) continue;
    const Descriptor owner(open((entry.path() / kOwner).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!owner || flock(owner.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    fs::remove_all(entry.path() / kWork, ignored);  // first: what is left of it has its owner still
    fs::remove_all(entry.path(), ignored);
  }
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!home_.empty()) fs::remove_all(home_, ignored);
}

// To make thousands of links takes a second on some file systems, for each execution.
bool ScratchDirectory::remove_all_but_links(std::error_code& error) const {
  std::vector<fs::path> others;
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const auto link = links_.find(entry.path().filename().string());
    if (link != links_.end() && leads_to(entry.path(), link->second)) {
      ++left;
    } else {
      others.push_back(entry.path());
    }
  }
  for (const fs::path& other : others) fs::remove_all(other, error);
  return left == links_.size();
}

std::string ScratchDirectory::renew() {
  std::error_code error;
  if (home_.empty()) home_ = make_home(error);
  if (!error && path_.empty()) {
    owner_ = claim(home_, error);
    path_ = (fs::path(home_) / kWork).string();
    if (!error) fs::create_directory(path_, error);
  }
  const bool whole = !error && !links_.empty() && remove_all_but_links(error);
  if (!error && !whole) remove_contents(path_, error);
  if (!error && !whole) links_ = fill(path_, wanted_, error);
  return error ? "no folder could be made for the program to write in: " + error.message() : std::string();
}

}  // namespace heddle
