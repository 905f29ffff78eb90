// See assert.h.
#include "trace/assert.h"

#include <string>
#include <string_view>

namespace heddle {
namespace {

std::string_view within_sources(std::string_view path) {
  const std::size_t at = path.rfind("/src/");
  return at == std::string_view::npos ? path : path.substr(at + 1);
}

}  // namespace

void fail_assertion(const char* what, const char* condition, const char* file, int line) {
  throw AssertionFailed("this should always be true: " + std::string(what) + " (" + condition + ", at " +
                        std::string(within_sources(file)) + ":" + std::to_string(line) + ")");
}

}  // namespace heddle
