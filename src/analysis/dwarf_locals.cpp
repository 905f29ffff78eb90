// See dwarf_locals.h.
#include "analysis/dwarf_locals.h"

#include <dwarf.h>

#include "analysis/dwarf_variables.h"

namespace heddle {
namespace {

bool is_function(Dwarf_Die* die) {
  return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

// The one operation that an attribute says, where it says one.
std::optional<Dwarf_Op> operation_of(Dwarf_Die* die, unsigned attribute_name, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op* expression = nullptr;
  std::size_t length = 0;
  if (dwarf_attr_integrate(die, attribute_name, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, pc, &expression, &length, 1) != 1 || length != 1)
    return {};
  return expression[0];
}

// What the unwinder knows for certain: of registers, the frame pointer and the stack pointer (x86-64's numbers).
std::optional<std::uint64_t> register_of(const StackFrame& frame, unsigned number) {
  constexpr unsigned kFramePointer = 6, kStackPointer = 7;
  if (number == kFramePointer) return frame.frame_pointer;
  if (number == kStackPointer) return frame.stack_pointer;
  return {};
}

std::optional<std::uint64_t> frame_base(Dwarf_Die* function, Dwarf_Addr pc, const StackFrame& frame) {
  const auto operation = operation_of(function, DW_AT_frame_base, pc);
  if (!operation) return {};
  if (operation->atom == DW_OP_call_frame_cfa) return frame.begin;
  if (operation->atom >= DW_OP_reg0 && operation->atom <= DW_OP_reg31)
    return register_of(frame, operation->atom - DW_OP_reg0);
  return {};
}

std::optional<std::uint64_t> address_of(Dwarf_Die* variable, Dwarf_Die* function, Dwarf_Addr pc,
                                        const StackFrame& frame) {
  const auto operation = operation_of(variable, DW_AT_location, pc);
  if (!operation) return {};
  std::optional<std::uint64_t> base;
  if (operation->atom == DW_OP_fbreg) base = frame_base(function, pc, frame);
  if (operation->atom >= DW_OP_breg0 && operation->atom <= DW_OP_breg31)
    base = register_of(frame, operation->atom - DW_OP_breg0);
  return base ? std::optional(*base + operation->number) : std::nullopt;
}

std::optional<std::uint64_t> size_of(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Word size = 0;
  if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) == nullptr ||
      dwarf_aggregate_size(&type, &size) != 0)
    return {};
  return size;
}

std::string name_of(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr_integrate(variable, DW_AT_name, &attribute));
  return name == nullptr ? "" : name;
}

// The variable that lies there, whether it has a name or not.
struct Match {
  Dwarf_Die variable;
  std::uint64_t offset;
};

void find_in(Dwarf_Die scope, Dwarf_Die* function, Dwarf_Addr pc, const StackFrame& frame, std::uint64_t address,
             std::vector<Match>& matches) {
  Dwarf_Die child;
  if (dwarf_child(&scope, &child) != 0) return;
  do {
    if (dwarf_tag(&child) != DW_TAG_variable && dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
    const auto begin = address_of(&child, function, pc, frame);
    const auto size = begin ? size_of(&child) : std::nullopt;
    if (size && address - *begin < *size) matches.push_back({child, address - *begin});
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::optional<DwarfLocal> local_variable(const std::vector<Dwarf_Die>& scopes, Dwarf_Addr pc, const StackFrame& frame,
                                         std::uint64_t address) {
  if (scopes.empty()) return {};
  Dwarf_Die outermost = scopes.back();
  for (const Dwarf_Die& scope : scopes)
    if (Dwarf_Die copy = scope; dwarf_tag(&copy) == DW_TAG_subprogram) outermost = copy;
  std::vector<Match> matches;
  std::optional<Dwarf_Die> function;  // that the match belongs to
  for (Dwarf_Die scope : scopes) {
    find_in(scope, &outermost, pc, frame, address, matches);
    if (!matches.empty() && !function && is_function(&scope)) function = scope;
    if (dwarf_tag(&scope) == DW_TAG_subprogram) break;
  }
  if (matches.size() != 1 || !function) return {};
  const std::string name = name_of(&matches[0].variable);
  ValueType value_type;
  const auto path = member_path(&matches[0].variable, matches[0].offset, &value_type);
  if (name.empty() || !path) return {};
  return DwarfLocal{name + *path, *function, std::move(value_type)};
}

}  // namespace heddle
