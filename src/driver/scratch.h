// A folder in which the program can change files without a trace: everything of the present folder can be found in it
// (as links), what the program makes there is gone with the execution.
#pragma once

#include <string>

namespace heddle {

class ScratchDirectory {
 public:
  ScratchDirectory() = default;
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  // Empties it (makes it, the first time) and fills it anew. Empty, or why that failed.
  std::string renew();
  const std::string& path() const { return path_; }  // empty before renew()

 private:
  std::string path_;
};

}  // namespace heddle
