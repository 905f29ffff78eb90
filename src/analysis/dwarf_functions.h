// Functions that elfutils does not find by an address: those of local classes, mostly lambdas.
// DWARF describes their code inside an abstract function, which has no addresses, and dwarf_getscopes() does not look
// there. Only the symbolizer includes this.
#pragma once

#include <elfutils/libdw.h>

#include <vector>

namespace heddle {

// The functions of a unit that lie in scopes without addresses.
class DwarfFunctions {
 public:
  explicit DwarfFunctions(Dwarf_Die* unit);
  // What contains the address, innermost first: blocks, inlined functions, and at last the function. Empty: none here.
  std::vector<Dwarf_Die> scopes_at(Dwarf_Addr address) const;

 private:
  void collect(Dwarf_Die* parent, int depth);

  std::vector<Dwarf_Die> functions_;
  std::size_t visited_ = 0;
};

}  // namespace heddle
