// See code_place.h.
#include "trace/code_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/shared.h"
#include "trace/module_names.h"

namespace heddle {

// A path that the program could not tell in whole may have lost its end.
CodePlace place_of_access(const RaceRecord& access, const ModuleMap& modules) {
  CodePlace unnamed{{}, access.site};
  if (access.module == 0 || access.module > modules.entries().size()) return unnamed;
  const ModuleMap::Entry& entry = modules.entries()[access.module - 1];
  if (access.site < entry.begin || access.site >= entry.end || entry.path.size() + 1 >= kPathCapacity) return unnamed;
  return {std::string(file_name(entry.path)), access.site - entry.base};
}

std::string text_of(const CodePlace& place, const ModuleMap& modules) {
  if (!place.named()) return ModuleNames(modules).text(place.offset);
  return fmt::format("{}+{:#x}", place.file, place.offset);
}

bool parse_place(const std::string& text, const ModuleMap& modules, CodePlace& place) {
  const auto plus = text.rfind("+0x");
  const auto offset = parse_hex(plus == std::string::npos ? text : text.substr(plus + 1));
  if (!offset) return false;
  place = {{}, *offset};
  if (plus == std::string::npos) return true;
  // "libx.so#2" is the second file of that name.
  const ModuleNames names(modules);
  place.file = text.substr(0, plus);
  for (std::size_t i = 0; i < modules.entries().size(); ++i)
    if (names.name(i) == place.file) return place.file = file_name(modules.entries()[i].path), true;
  return !place.file.empty();
}

}  // namespace heddle
