// See python_targets.h.
#include "analysis/python_targets.h"

#include <algorithm>
#include <cctype>

namespace heddle {

namespace {

// "threading.Lock()": by convention, a call of a name that begins with a capital letter makes an object.
bool calls_class(std::string_view code) {
  const auto is_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (std::size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && is_name(static_cast<unsigned char>(code[begin - 1]))) --begin;
    if (begin != open && std::isupper(static_cast<unsigned char>(code[begin])) != 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> python_targets(std::string_view line, std::string_view function) {
  constexpr std::string_view kSelf = "self.", kSpace = " \t";
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || line.substr(equals).starts_with("==") ||
      !calls_class(line.substr(equals + 1)))
    return {};
  std::string_view left = line.substr(0, std::min(equals, line.find(':')));
  std::vector<std::string> result;
  while (!left.empty()) {
    const auto comma = left.find(',');
    std::string_view name = left.substr(0, comma);
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    name.remove_prefix(std::min(name.find_first_not_of(kSpace), name.size()));
    name = name.substr(0, name.find_last_not_of(kSpace) + 1);
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c >= 0x80;
    });
    if (!is_name) return {};
    const auto method = function.rfind('.');
    const bool is_member = name.starts_with(kSelf) && method != std::string_view::npos;
    result.push_back(is_member ? std::string(function.substr(0, method + 1)) + std::string(name.substr(kSelf.size()))
                               : std::string(name));
  }
  return result;
}

}  // namespace heddle
