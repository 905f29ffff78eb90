// See dwarf_functions.h.
#include "analysis/dwarf_functions.h"

#include <dwarf.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr int kMaxNesting = 64;
constexpr std::size_t kMaxVisited = 4'000'000;  // DIEs: about a second

bool is_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_inlined_subroutine;
}

}  // namespace

DwarfFunctions::DwarfFunctions(Dwarf_Die* unit) { collect(unit, 0); }

void DwarfFunctions::collect(Dwarf_Die* parent, int depth) {
  Dwarf_Die child;
  if (depth > kMaxNesting || dwarf_child(parent, &child) != 0) return;
  do {
    ++visited_;
    const int tag = dwarf_tag(&child);
    if (!is_scope(tag)) continue;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    if (depth > 0 && tag == DW_TAG_subprogram && dwarf_ranges(&child, 0, &base, &begin, &end) > 0)
      functions_.push_back(child);
    collect(&child, depth + 1);
  } while (visited_ < kMaxVisited && dwarf_siblingof(&child, &child) == 0);
}

std::vector<Dwarf_Die> DwarfFunctions::scopes_at(Dwarf_Addr address) const {
  std::vector<Dwarf_Die> scopes;
  const auto covers = [&](const Dwarf_Die& die) {
    Dwarf_Die copy = die;
    return dwarf_haspc(&copy, address) == 1;
  };
  const auto function = std::find_if(functions_.begin(), functions_.end(), covers);
  if (function == functions_.end()) return scopes;
  scopes.push_back(*function);
  for (int depth = 0; depth < kMaxNesting; ++depth) {
    Dwarf_Die child;
    if (dwarf_child(&scopes.back(), &child) != 0) break;
    bool found = false;
    do found = is_scope(dwarf_tag(&child)) && covers(child);
    while (!found && dwarf_siblingof(&child, &child) == 0);
    if (!found) break;
    scopes.push_back(child);
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

}  // namespace heddle
