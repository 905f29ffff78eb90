// What has to be known of an ELF file before it is run under Heddle.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace heddle {

struct ElfFile {
  int machine = 0;  // EM_…
  int type = 0;     // ET_…
  bool is_64_bit = false;
  bool has_interpreter = false;
  bool has_debug_information = false;
  bool thread_sanitizer = false;
  bool memory_sanitizer = false;
  bool address_sanitizer = false;
  std::map<std::string, std::uint64_t> functions;  // short demangled name and symbol name -> link-time address

  // Nothing when it is not an ELF file or is cut off.
  static std::optional<ElfFile> read(const std::string& path);
  std::string machine_name() const;
  // 0 when there is none of that name.
  std::uint64_t function_address(const std::string& name) const;
};

}  // namespace heddle
