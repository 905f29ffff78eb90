// See note_places.h.
#include "driver/explore/note_places.h"

#include <cstdlib>
#include <filesystem>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "trace/module_names.h"

namespace heddle {

namespace {

// Puts words in the place of the first "{KEY text}"; false: there is none.
template <typename Words>
bool replace(std::string& note, const std::string& key, Words words) {
  const std::size_t begin = note.find("{" + key + " ");
  const std::size_t end = note.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return false;
  const std::size_t text = begin + key.size() + 2;
  note = note.substr(0, begin) + words(note.substr(text, end - text)) + note.substr(end + 1);
  return true;
}

}  // namespace

std::string with_places(const std::string& note, const Execution& execution, const ModuleMap& modules) {
  if (note.find('{') == std::string::npos) return note;
  Symbolizer symbolizer(modules);
  std::error_code error;
  Names names(execution, symbolizer, std::filesystem::current_path(error).string());
  std::string text = note;
  const auto place = [&](const std::string& address) -> std::string {
    const Site site = parse_hex(address).value_or(0);
    return site != 0 ? " at " + names.places().name(names.places().of_site(site)).text : "";
  };
  while (replace(text, "at", place)) {
  }
  replace(text, "object", [&](const std::string& number) {
    return names.object(static_cast<ObjectId>(std::strtoul(number.c_str(), nullptr, 10))).text;
  });
  return text;
}

}  // namespace heddle
