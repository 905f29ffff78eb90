// Two things that DWARF knows and elfutils has no call for: which unit covers an address when there is no index, and
// which member of a global variable lies at an offset. Only the symbolizer includes this.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

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

// The global and static variables of a module, by address.
class DwarfVariables {
 public:
  explicit DwarfVariables(Dwfl_Module* module);
  // ".mutex" or "[2].lock": the path from the variable that begins at `variable` to what lies `offset` bytes into it;
  // empty text when the variable has no members and `offset` is 0; nothing when DWARF does not know the variable.
  std::optional<std::string> member_at(std::uint64_t variable, std::uint64_t offset) const;

 private:
  void collect(Dwarf_Die* parent, int depth);

  Dwarf_Addr bias_ = 0;  // before dwarf_, whose initializer sets it
  Dwarf* dwarf_ = nullptr;
  std::map<Dwarf_Addr, Dwarf_Off> variables_;  // link-time address to DIE
  std::size_t visited_ = 0;
};

}  // namespace heddle
