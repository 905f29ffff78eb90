// See source_files.h.
#include "analysis/source_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "analysis/symbolizer.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

void add_files(Dwarf_Die* unit, const std::string& program, std::size_t most, std::set<std::string>& files) {
  Dwarf_Files* listed = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &listed, &count) != 0) return;
  Dwarf_Attribute attribute;
  const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  for (std::size_t i = 0; i < count && files.size() < most; ++i) {
    const char* const name = dwarf_filesrc(listed, i, nullptr, nullptr);
    if (name == nullptr) continue;
    fs::path path(name);
    if (path.is_relative() && folder != nullptr) path = fs::path(folder) / path;
    Frame frame;
    frame.module = program;
    frame.file = path.lexically_normal().string();
    if (path.is_absolute() && is_user_code(frame) && !is_installed_header(frame)) files.insert(frame.file);
  }
}

}  // namespace

std::vector<std::string> source_files(const std::string& program, std::size_t most) {
  std::set<std::string> files;
  const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  Dwarf* const debug = file < 0 ? nullptr : dwarf_begin(file, DWARF_C_READ);
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (debug != nullptr && files.size() < most &&
         dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
    add_files(&die, program, most, files);
  if (debug != nullptr) dwarf_end(debug);
  if (file >= 0) ::close(file);
  return {files.begin(), files.end()};
}

}  // namespace heddle
