// Functions of Python files by their lines, read from the file's indentation: what encloses a line is the last `def` or
// `class` before it that is indented less. Strings over several lines that look like code can mislead it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle {

class PythonFunctions {
 public:
  // "Queue.put", of nested functions "outer.inner"; "<module>" outside of functions; empty where the file can't be read
  // or has no such line. Lines count from 1.
  const std::string& function_at(const std::string& file, int line);

 private:
  const std::vector<std::string>& functions_of(const std::string& file);
  std::map<std::string, std::vector<std::string>> files_;  // a name for each line
};

// The same of a text: a name for each of its lines.
std::vector<std::string> python_functions(const std::vector<std::string>& lines);

}  // namespace heddle
