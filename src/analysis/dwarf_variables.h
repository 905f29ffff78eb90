// Things that DWARF knows and elfutils has no simple call for: which unit covers an address when there is no index,
// where a unit is described, and which member of a global variable lies at an offset. Only the symbolizer includes
// this.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/value_type.h"

namespace heddle {

// ".mutex" or "[2].lock": the path from the begin of a variable to what lies `offset` bytes into it; empty text when
// the variable has no members and `offset` is 0; nothing when no member begins there.
// `value_type`: gets its type, as far as values of that are known by more than their bytes.
std::optional<std::string> member_path(Dwarf_Die* variable, std::uint64_t offset, ValueType* value_type = nullptr);

// How values of a type read; of std::atomic<T>, those of T.
ValueType value_type_of(Dwarf_Die type);

// The type of a variable, member or parameter, behind typedefs and qualifiers. False: it has none.
bool stripped_type(Dwarf_Die* die, Dwarf_Die* type);

struct DwarfMember {
  std::string path;  // as member_path() gives it
  std::uint64_t bytes = 0;
  ValueType value_type = {};
};

// The member that begins `offset` bytes into an object of the type; nothing where none does. What lies in a class of a
// library's is none.
std::optional<DwarfMember> member_at(Dwarf_Die type, std::uint64_t offset);

// What describes a unit: itself; with -gsplit-dwarf the unit of its .dwo file, if that is there. In the program itself
// are only its lines and addresses then.
Dwarf_Die description_of(Dwarf_Die* unit);

// The path that an attribute of a DIE names by its number in its unit's table (DW_AT_call_file, DW_AT_decl_file), or
// null. elfutils 0.188 has dwarf_decl_file(), which aborts where the table is that of a .dwo file.
const char* file_of(Dwarf_Die* die, unsigned attribute_name);

// The address ranges of all units of a module.
class DwarfUnits {
 public:
  explicit DwarfUnits(Dwfl_Module* module);
  // The unit's DIE, or null; `bias` is what to take off an address for it.
  Dwarf_Die* find(Dwarf_Addr address, Dwarf_Addr* bias);

 private:
  struct Range {
    Dwarf_Addr begin, end;  // as loaded
    Dwarf_Die* unit;
    Dwarf_Addr bias;
  };
  std::vector<Range> ranges_;
};

struct DwarfVariable {
  std::string name;  // in the source, without its namespace
  std::string path;  // member_path()
  ValueType value_type = {};
};

// The global and static variables of a module, by address.
class DwarfVariables {
 public:
  explicit DwarfVariables(Dwfl_Module* module);
  // What lies `offset` bytes into the symbol at `symbol`, which is a variable or a part that the compiler split off it;
  // nothing when DWARF does not know it.
  std::optional<DwarfVariable> variable_at(std::uint64_t symbol, std::uint64_t offset) const;

 private:
  struct Part {
    Dwarf_Die die;         // it may be in a file of its own: see description_of()
    std::uint64_t offset;  // in the variable
  };
  void collect(Dwarf_Die* parent, int depth);

  Dwarf_Addr bias_ = 0;
  std::map<Dwarf_Addr, Part> variables_;  // by link-time address
  std::size_t visited_ = 0;
};

}  // namespace heddle
