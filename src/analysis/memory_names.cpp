// See memory_names.h.
#include "analysis/memory_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/module_names.h"

namespace heddle {

// As the program has given them; of two for one piece the later one.
MemoryNames::MemoryNames(const Execution& execution) {
  for (const ExecutionMessage& message : execution.messages) {
    if (message.kind != MessageKind::MemoryName) continue;
    const auto end = message.text.find('\0'), space = message.text.find(' ');
    if (end == std::string::npos || space > end) continue;
    const auto begin = parse_hex("0x" + message.text.substr(0, space));
    const auto size = parse_hex("0x" + message.text.substr(space + 1, end - space - 1));
    if (begin && size) names_[*begin] = {*size, message.text.substr(end + 1)};
  }
}

std::optional<std::string> MemoryNames::at(std::uint64_t address) const {
  auto named = names_.upper_bound(address);
  if (named == names_.begin() || address - (--named)->first >= std::max<std::uint64_t>(named->second.size, 1))
    return {};
  return address == named->first ? named->second.name
                                 : fmt::format("{}+{:#x}", named->second.name, address - named->first);
}

}  // namespace heddle
