// What Heddle needs to know of an ELF file before it runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct ElfFile {
  int machine = 0;  // EM_…
  int type = 0;     // ET_…
  bool is_64_bit = false;
  std::string interpreter;     // what loads it; empty: it names none
  bool is_executable = false;  // not a shared library
  bool has_debug_information = false;
  std::string debug_link;  // name of the file that has it; empty: none is named, or it is in this one
  bool thread_sanitizer = false;
  bool instrumented = false;        // by heddle-cc; the calls are the thread sanitizer's, too
  bool of_another_version = false;  // … the heddle-cc of another version
  // It holds Rust's standard library as it is shipped, which heddle-cc has not seen. Found where `instrumented` is.
  bool plain_rust_library = false;
  // The files that it was linked of, as far as its symbols tell: how many heddle-cc has compiled, and the others'
  // names.
  unsigned instrumented_sources = 0;
  std::vector<std::string> plain_sources;
  bool go_runtime = false;  // linked by Go
  bool memory_sanitizer = false;
  bool address_sanitizer = false;
  std::uint64_t function_address = 0;  // link-time address of the function that was asked for; 0: there is none

  // Nothing when it is not an ELF file or is cut off. `function`: the name of one to look for, as the linker or as
  // people write it (Queue::drain); may be empty.
  static std::optional<ElfFile> read(const std::string& path, const std::string& function);
  std::string machine_name() const;
};

// Of a file that may be a shared library: was it linked by Go? Looks at the names of sections only.
bool is_linked_by_go(const std::string& path);

}  // namespace heddle
