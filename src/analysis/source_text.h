// Lines of source files, read once and kept; a file that can't be read has no lines.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle {

class SourceText {
 public:
  // From now on a file is first looked for below this folder, which has copies: of /a/b.c in FOLDER/a/b.c. To be called
  // before any source is read.
  static void look_below(const std::string& folder);

  // Without the white space around it; empty when there is no such line.
  std::string line(const std::string& file, int number);
  // As it stands there.
  std::string whole_line(const std::string& file, int number);

 private:
  const std::vector<std::string>& lines(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace heddle
