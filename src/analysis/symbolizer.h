// From addresses to the source: functions, files and lines of code, names of variables. Reads the program's debug
// information where there is some, lazily and once: symbolizers of the same loaded files share what was read. Separate
// debug files are used if they are on this machine (nothing is fetched). A code address is taken as a return address:
// the byte before it is looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/memory_origin.h"
#include "analysis/value_type.h"
#include "trace/modules.h"

namespace heddle {

struct Frame {
  std::string function;  // short name; empty when unknown
  std::string file;      // empty when there is no debug information
  int line = 0;
  std::string module;  // path of the loaded file; empty when the address is in none
  bool inlined = false;
};

struct SourcePlace {
  std::string file;  // empty when there is no debug information
  int line = 0;
};

struct LocalVariable {
  std::string name;      // "counter", "queue.head"
  std::string function;  // "produce()"
  ValueType value_type = {};
};

class Symbolizer {
 public:
  explicit Symbolizer(const ModuleMap& modules);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // What stands at a site (it may be a numbered one), the innermost inlined function first; never empty.
  const std::vector<Frame>& frames(Site site);
  // Where that one is, without its function: what takes long in large files is to look for that.
  SourcePlace place(Site site);
  // The variable at an address: "queue", "queue.mutex", "table+0x10"; empty when none is known there.
  // `value_type`: gets its type, where that is known.
  std::string variable(std::uint64_t address, ValueType* value_type = nullptr);
  // The variable at an address on a stack; nothing when none is known there, or more than one.
  std::optional<LocalVariable> local_variable(const MemoryOrigin& origin, std::uint64_t address);
  // What lies at an address in a block of the heap and has `bytes` (0: not known): "Service.mutex". `uses`: call stacks
  // of operations on it. Empty where the block's type is not known.
  std::string member_of_block(const MemoryOrigin& block, std::uint64_t address, std::uint64_t bytes,
                              const std::vector<std::vector<Site>>& uses, ValueType* value_type = nullptr);
  // Names of loaded files, see Names; without folders.
  std::vector<std::string> uninstrumented_files() const;
  // "module+0xoffset".
  std::string raw(Site site) const;

 private:
  struct Debug;  // keeps elfutils out of this header
  static std::shared_ptr<Debug> debug_of(const ModuleMap& modules);
  // The byte before what returns to `site`.
  std::uint64_t before(Site site) const;
  std::vector<Frame> look_up(Site site);

  const std::shared_ptr<Debug> debug_;
};

// Code that the user wrote, as opposed to the C and C++ libraries, GoogleTest and Heddle.
bool is_user_code(const Frame& frame);
// Code of libheddle.so; is this its file?
bool is_of_heddle(const Frame& frame);
bool is_heddle_library(std::string_view path);
// How what lies in Heddle's library is called.
inline constexpr const char* kLocksOfItsOwn = "locks of its own";
// A header of a library that was installed: compiled into the user's program, but what the user wrote is what calls it.
bool is_installed_header(const Frame& frame);

}  // namespace heddle
