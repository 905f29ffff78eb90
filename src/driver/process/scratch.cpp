// See scratch.h.
#include "driver/process/scratch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/process/remove_tree.h"
#include "protocol/shared.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWork = "work";

std::error_code last_error() { return {errno, std::generic_category()}; }

// The names in it, or an error.
std::vector<fs::path> paths_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  return paths;
}

bool leads_to(const fs::path& link, const std::string& target) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(link, error)) && fs::read_symlink(link, error) == target;
}

// A program can put another folder in the place of its own, or a link to one, of which nothing is ours to be removed.
bool is_still(const fs::path& path, const struct stat& folder) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_ino == folder.st_ino &&
         status.st_dev == folder.st_dev;
}

std::string no_folder(const std::string& where, const std::error_code& error) {
  return "no folder could be made for the program to write in, in " + where + ": " + error.message() +
         "; set TMPDIR to a folder that can be written to";
}

}  // namespace

std::set<std::string> names_here() {
  std::error_code error;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(".", error)) names.insert(entry.path().filename().string());
  return names;
}

void remove_stale_scratch() { remove_stale_folders(kScratchPrefix, kWork); }

ScratchDirectory::~ScratchDirectory() { remove(); }

void ScratchDirectory::remove() {
  std::error_code ignored;
  if (!home_.empty() && is_still(home_, home_status_)) remove_tree(home_, ignored);
  home_.clear();
  path_.clear();
  links_.clear();
  laid_ = 0;
  owner_ = Descriptor();
}

// Once, so that each execution finds the same; not before a folder is needed, which it rarely is.
void ScratchDirectory::read_copies() {
  if (std::exchange(read_, true)) return;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  std::set<std::string> copied;
  std::set_difference(wanted_.begin(), wanted_.end(), linked_.begin(), linked_.end(),
                      std::inserter(copied, copied.end()));
  if (!error) copies_ = FolderCopy(here, copied, FolderCopy::Limits());
}

// What is large is linked to: it costs nothing, and a program that changes it changes the real one.
void ScratchDirectory::fill(std::error_code& error) {
  links_.clear();
  laid_ = 0;
  const fs::path here = fs::current_path(error);
  for (const std::string& name : wanted_) {
    struct stat status {};
    if (error) return;
    if (copies_.has(name)) {
      copies_.lay(name, path_, error);
    } else if (lstat((here / name).c_str(), &status) == 0) {
      links_[name] = (here / name).string();
      fs::create_symlink(links_[name], fs::path(path_) / name, error);
    } else {
      continue;
    }
    ++laid_;
  }
}

// To make thousands of links takes a second on some file systems, for each execution. What the program made goes first:
// it may have filled the disk.
bool ScratchDirectory::keep_what_was_copied(std::error_code& error) {
  std::vector<std::string> copied;
  std::size_t left = 0;
  for (const fs::path& path : paths_in(path_, error)) {
    const std::string name = path.filename().string();
    const auto link = links_.find(name);
    if (copies_.has(name)) {
      copied.push_back(name);
    } else if (link != links_.end() && leads_to(path, link->second)) {
      ++left;
    } else if (!error) {
      remove_tree(path, error);
    }
  }
  for (const std::string& name : copied)
    if (!error && copies_.restore(name, path_, error)) ++left;
  return left == laid_;
}

void ScratchDirectory::make_work(std::error_code& error) {
  if (!is_still(home_, home_status_)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return;
  for (const fs::path& path : paths_in(home_, error))
    if (!error && path.filename() != kOwnerFile) remove_tree(path, error);
  if (!error) fs::create_directory(path_, error);
  if (!error && lstat(path_.c_str(), &work_) != 0) error = last_error();
  if (!error) fill(error);
}

void ScratchDirectory::make_in(const std::string& place, std::error_code& error) {
  home_ = make_owned_folder(place, kScratchPrefix, error);
  if (!error && lstat(home_.c_str(), &home_status_) != 0) error = last_error();
  if (!error) owner_ = claim_folder(home_, error);
  path_ = (fs::path(home_) / kWork).string();
  if (!error) make_work(error);
  if (error) remove();
}

// In the first place where all goes well: a file system may have no links, or no room.
std::string ScratchDirectory::make() {
  std::string tried;
  std::error_code error;
  read_copies();
  for (const std::string& place : places_) {
    error.clear();
    make_in(place, error);
    if (!error) return {};
    tried += (tried.empty() ? "" : " or ") + place;
  }
  return no_folder(tried, error);
}

std::string ScratchDirectory::renew() {
  if (path_.empty()) return make();
  std::error_code error;
  const bool kept = is_still(path_, work_) && laid_ != 0 && keep_what_was_copied(error);
  if (!error && !kept) make_work(error);
  if (!error) return {};
  return "the folder that was made for the program to write in, in " + home_ +
         ", could not be made as it was before: " + error.message() +
         "; did the program fill the disk, or leave there what can't be removed?";
}

}  // namespace heddle
