// A folder in which the program can change files without a trace: everything that was in the present folder before the
// program was ever started can be found in it (as links), what the program makes there is gone with the execution.
//
// It lies in a folder of the system's for temporary files, TMPDIR/heddle-scratch-XXXXXX, or in /tmp if that can't be
// used, beside a file `owner` that its run keeps locked. Where nobody does, the run was killed: the next one removes
// what it left.
#pragma once

#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/descriptor.h"

namespace heddle {

// The names in the present folder.
std::set<std::string> names_here();

// Removes what runs that were killed have left. Never a folder that is in use, or somebody else's.
void remove_stale_scratch();

// Where folders for temporary files are made: the one that the environment names, and /tmp. The first that can be used
// is.
std::vector<std::string> temporary_folders();

class ScratchDirectory {
 public:
  // `wanted`: of what is in the present folder, links are made to these. `places`: as from temporary_folders().
  explicit ScratchDirectory(std::set<std::string> wanted, std::vector<std::string> places = temporary_folders())
      : wanted_(std::move(wanted)), places_(std::move(places)) {}
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Makes it as it was at first: what is not ours is removed, and where one of the links is gone or another, all are
  // made anew, so that the folder is listed in one order. Empty, or why that failed.
  std::string renew();
  const std::string& path() const { return path_; }  // empty before renew()

 private:
  void make_in(const std::string& place, std::error_code& error);
  std::string make();
  void remove();
  // False: some of the links are gone.
  bool remove_all_but_links(std::error_code& error) const;

  std::set<std::string> wanted_;
  std::vector<std::string> places_;
  std::map<std::string, std::string> links_;  // that were made, and what each leads to
  std::string home_;                          // the folder around it
  std::string path_;
  Descriptor owner_;  // the locked file
};

}  // namespace heddle
