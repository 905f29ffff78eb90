// Addresses as text that survives address randomization: "queue_test+0x1234" for an address in a loaded file, "0x7f…"
// for any other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/modules.h"

namespace heddle {

class ModuleNames {
 public:
  // `modules` must outlive this.
  explicit ModuleNames(const ModuleMap& modules);
  // The file's name without folders; "libx.so#2" for the second of two with one name.
  const std::string& name(std::size_t index) const { return names_[index]; }
  std::string text(std::uint64_t address) const;
  // Nothing when the text is neither form, or names an unknown module.
  std::optional<std::uint64_t> parse(std::string_view text) const;

 private:
  const ModuleMap& modules_;
  std::vector<std::string> names_;
};

// What follows the last slash.
std::string_view file_name(std::string_view path);
// The number a text like "0x1f" stands for.
std::optional<std::uint64_t> parse_hex(std::string_view text);

}  // namespace heddle
