// Addresses to text and back; see module_names.h.
#include "trace/module_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace heddle {

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.substr(0, 2) != "0x") return {};
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

ModuleNames::ModuleNames(const ModuleMap& modules) : modules_(modules) {
  for (const ModuleMap::Entry& module : modules.entries()) {
    const std::string plain(file_name(module.path));
    std::string unique = plain;
    for (unsigned n = 2; std::find(names_.begin(), names_.end(), unique) != names_.end(); ++n)
      unique = fmt::format("{}#{}", plain, n);
    names_.push_back(std::move(unique));
  }
}

std::string ModuleNames::text(std::uint64_t address) const {
  address = modules_.here(address);
  const ModuleMap::Entry* module = modules_.find(address);
  if (module == nullptr) return fmt::format("{:#x}", address);
  const auto index = static_cast<std::size_t>(module - modules_.entries().data());
  return fmt::format("{}+{:#x}", names_[index], address - module->base);
}

std::optional<std::uint64_t> ModuleNames::parse(std::string_view text) const {
  const auto plus = text.rfind("+0x");
  if (plus == std::string_view::npos) return parse_hex(text);
  const auto found = std::find(names_.begin(), names_.end(), text.substr(0, plus));
  const auto offset = parse_hex(text.substr(plus + 1));
  if (found == names_.end() || !offset) return {};
  return modules_.entries()[static_cast<std::size_t>(found - names_.begin())].base + *offset;
}

}  // namespace heddle
