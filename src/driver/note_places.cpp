// See note_places.h.
#include "driver/note_places.h"

#include <filesystem>
#include <string_view>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "trace/module_names.h"

namespace heddle {

std::string with_places(const std::string& note, const Execution& execution, const ModuleMap& modules) {
  constexpr std::string_view kBegin = "{at ";
  const std::size_t begin = note.find(kBegin), end = note.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return note;
  const std::size_t number = begin + kBegin.size();
  const Site site = parse_hex(note.substr(number, end - number)).value_or(0);
  std::string place;
  if (site != 0) {
    Symbolizer symbolizer(modules);
    std::error_code error;
    Names names(execution, symbolizer, std::filesystem::current_path(error).string());
    place = " at " + names.place(names.location_of_site(site));
  }
  return note.substr(0, begin) + place + note.substr(end + 1);
}

}  // namespace heddle
