// The folder in which a run keeps its bugs: heddle-out/PROGRAM-N by default. It is made only when there is something to
// keep. It is always new, even when other runs make theirs at the same time. Only the user may look into it.
// heddle-out/latest points to the newest.
#pragma once

#include <string>
#include <string_view>

#include "driver/process/descriptor.h"

namespace heddle::cli {

inline constexpr const char* kReportFile = "report.json";
inline constexpr const char* kOutputRoot = "heddle-out";
inline constexpr const char* kLatest = "latest";  // in it: a link to the newest run's folder

class OutputFolder {
 public:
  // `wanted`: what -o says; empty: the default for `program`. `root`: where heddle-out is, or is to be.
  OutputFolder(std::string wanted, std::string program, std::string root = kOutputRoot);

  // Before a search: could the folder that -o names be made? Empty, or why not. Leaves nothing behind.
  static std::string check(const std::string& wanted);

  // Makes the folder at the first call. Empty, or why it can't be made (asked again, it tries again).
  std::string make();
  // Was one wanted that could not be taken, since it was not empty?
  bool is_another() const { return made() && !wanted_.empty() && path_ != wanted_; }
  // An earlier run's, to go on with it. False: it is not there any more, or not the user's; another one is made.
  bool take_over(const std::string& path);
  bool made() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // A file in it, once it was made. Empty, or why it can't be written.
  std::string write(const std::string& name, std::string_view content) const;

 private:
  std::string make_numbered(const std::string& base, const std::string& separator, unsigned first);
  std::string make_wanted();
  std::string open_made(const std::string& path);
  void point_latest_here() const;

  std::string wanted_;
  std::string program_;
  std::string root_;
  std::string path_;
  Descriptor folder_;
};

}  // namespace heddle::cli
