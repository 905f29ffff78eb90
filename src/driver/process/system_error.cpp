// See system_error.h.
#include "driver/process/system_error.h"

#include <cerrno>
#include <cstring>

namespace heddle {
namespace {

const char* hint(int error) {
  if (error == EMFILE) return "; more descriptors have to be allowed (ulimit -n)";
  if (error == EFBIG) return "; larger files have to be allowed (ulimit -f)";
  return "";
}

}  // namespace

std::string system_error(const std::string& what) {
  const int error = errno;
  return what + ": " + std::strerror(error) + hint(error);
}

}  // namespace heddle
