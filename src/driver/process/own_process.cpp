// See own_process.h.
#include "driver/process/own_process.h"

#include <unistd.h>

#include <filesystem>

namespace heddle {

std::string own_executable() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
  return variables;
}

}  // namespace heddle
