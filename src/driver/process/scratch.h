// A folder in which the program can change files without a trace. It holds everything that was in the present folder
// before the program was first started: small files as copies (folder_copy.h), the rest as links. What the program
// makes or changes there is gone with the execution, except behind links.
//
// It lies in the system's folder for temporary files, TMPDIR/heddle-scratch-XXXXXX, or in /tmp if TMPDIR can't be used.
// If its run was killed, the next run removes what it left (owned_folder.h).
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "driver/process/descriptor.h"
#include "driver/process/folder_copy.h"
#include "driver/process/owned_folder.h"

namespace heddle {

// The names in the present folder.
std::set<std::string> names_here();

// Removes what runs that were killed have left. Never a folder that is in use, or somebody else's.
void remove_stale_scratch();

class ScratchDirectory {
 public:
  // `wanted`: what is to be found of the present folder. `linked`: of these, what is never copied. `places`: as from
  // temporary_folders().
  explicit ScratchDirectory(std::set<std::string> wanted, std::set<std::string> linked = {},
                            std::vector<std::string> places = temporary_folders())
      : wanted_(std::move(wanted)), linked_(std::move(linked)), places_(std::move(places)) {}
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Makes it as it was at first, which is as the present folder was at the first call: what is not ours is removed,
  // what was changed is restored, and where a link or a copy is gone or another, all are made anew, so that the folder
  // is listed in one order. Empty, or why that failed.
  std::string renew();
  const std::string& path() const { return path_; }  // empty before renew()

 private:
  void make_in(const std::string& place, std::error_code& error);
  std::string make();
  void remove();
  void read_copies();
  void fill(std::error_code& error);
  // False: some of what was laid is gone.
  bool keep_what_was_copied(std::error_code& error);
  void make_work(std::error_code& error);

  std::set<std::string> wanted_;
  std::set<std::string> linked_;
  std::vector<std::string> places_;
  bool read_ = false;
  FolderCopy copies_;
  std::size_t laid_ = 0;                      // links and copies
  std::map<std::string, std::string> links_;  // that were made, and what each leads to
  std::string home_;                          // the folder around it
  std::string path_;
  struct stat home_status_ {
  }, work_{};         // of both, as they were made
  Descriptor owner_;  // the locked file
};

}  // namespace heddle
