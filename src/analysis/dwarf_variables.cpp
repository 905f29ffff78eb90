// Unit ranges and members of variables; see dwarf_variables.h.
#include "analysis/dwarf_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <filesystem>

namespace heddle {
namespace {

constexpr int kMaxRanges = 1 << 20;
constexpr int kMaxTypeDepth = 32;
constexpr int kMaxNesting = 64;
constexpr std::size_t kMaxVisited = 4'000'000;  // DIEs: about a second; what comes later is named by its symbol

std::optional<Dwarf_Word> constant(Dwarf_Die* die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute_name, &attribute), &value) != 0) return {};
  return value;
}

// The link-time address that an operation says.
std::optional<Dwarf_Addr> address_of(Dwarf_Attribute* location, const Dwarf_Op* operation) {
  if (operation->atom == DW_OP_addr) return operation->number;
  Dwarf_Attribute address;
  Dwarf_Addr value = 0;
  if (dwarf_getlocation_attr(location, operation, &address) == 0 && dwarf_formaddr(&address, &value) == 0)
    return value;  // DW_OP_addrx
  return {};
}

// Each part of a variable that has a fixed link-time address, with its offset in the variable. Most have one part;
// clang splits static arrays and structures into what is used of them.
void for_each_part(Dwarf_Die* variable, const auto& action) {
  Dwarf_Attribute attribute;
  Dwarf_Op* expression = nullptr;
  std::size_t length = 0;
  if (dwarf_getlocation(dwarf_attr(variable, DW_AT_location, &attribute), &expression, &length) != 0) return;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const bool alone = length == 1, before_piece = i + 1 < length && expression[i + 1].atom == DW_OP_piece;
    if (expression[i].atom == DW_OP_piece) {
      offset += expression[i].number;
    } else if (const auto address = address_of(&attribute, &expression[i]); address && (alone || before_piece)) {
      action(*address, offset);
    } else {
      return;  // computed in some other way
    }
  }
}

bool is_bit_field(Dwarf_Die* member) {
  return dwarf_hasattr(member, DW_AT_bit_size) != 0 || dwarf_hasattr(member, DW_AT_data_bit_offset) != 0;
}

// The member or base class of `type` in which `offset` lies; its own offset is taken off. Where bytes belong to several
// members, as in a union, nobody knows which one is meant.
bool find_member(Dwarf_Die* type, std::uint64_t& offset, Dwarf_Die* found) {
  Dwarf_Die child;
  if (dwarf_tag(type) == DW_TAG_union_type || dwarf_child(type, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_bit_field(&child)) continue;
    const auto begin = constant(&child, DW_AT_data_member_location);
    Dwarf_Die member_type;
    Dwarf_Word size = 0;
    if (!stripped_type(&child, &member_type) || dwarf_aggregate_size(&member_type, &size) != 0) continue;
    const Dwarf_Word start = begin.value_or(0);
    if (offset < start || offset >= start + size) continue;
    offset -= start;
    *found = child;
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// The C and C++ libraries' own types are ends of the path: nobody wants "mutex._M_mutex.__data".
bool library_type(Dwarf_Die* type) {
  const char* file = file_of(type, DW_AT_decl_file);
  const std::string path = std::filesystem::path(file == nullptr ? "" : file).lexically_normal().string();
  return path.substr(0, 13) == "/usr/include/" || path.substr(0, 9) == "/usr/lib/";
}

// How many elements one dimension of an array has; nothing where only the running program knows.
std::optional<Dwarf_Word> count_of(Dwarf_Die* subrange) {
  if (const auto count = constant(subrange, DW_AT_count)) return count;
  const auto last = constant(subrange, DW_AT_upper_bound);
  if (!last) return {};
  return *last - constant(subrange, DW_AT_lower_bound).value_or(0) + 1;
}

// Of `int a[10][3]` the elements of a[i]: what follows the first dimension. Empty for one dimension; nothing
// where a size is not known.
std::optional<std::vector<Dwarf_Word>> inner_counts(Dwarf_Die* array) {
  std::vector<Dwarf_Word> counts;
  Dwarf_Die child;
  if (dwarf_child(array, &child) != 0) return counts;
  bool outermost = true;
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const auto count = outermost ? std::optional<Dwarf_Word>(0) : count_of(&child);
    if (!count || (!outermost && *count == 0)) return {};
    if (!outermost) counts.push_back(*count);
    outermost = false;
  } while (dwarf_siblingof(&child, &child) == 0);
  return counts;
}

// "[4][1]": the element in which `offset` lies; `offset` is then one into the element.
std::optional<std::string> descend_array(Dwarf_Die* type, std::uint64_t& offset) {
  Dwarf_Die element;
  Dwarf_Word size = 0;
  const auto counts = inner_counts(type);
  if (!counts || !stripped_type(type, &element) || dwarf_aggregate_size(&element, &size) != 0 || size == 0) return {};
  std::uint64_t index = offset / size;
  std::string path;
  for (auto count = counts->rbegin(); count != counts->rend(); ++count) {
    path.insert(0, fmt::format("[{}]", index % *count));
    index /= *count;
  }
  offset %= size;
  *type = element;
  return fmt::format("[{}]{}", index, path);
}

// One step down: returns the text of the step, or nothing at the end of the path.
std::optional<std::string> descend(Dwarf_Die* type, std::uint64_t& offset) {
  Dwarf_Die next;
  if (dwarf_tag(type) == DW_TAG_array_type) return descend_array(type, offset);
  if (!find_member(type, offset, &next)) return {};
  const char* name = dwarf_tag(&next) == DW_TAG_member ? dwarf_diename(&next) : nullptr;
  const std::string step = name == nullptr ? std::string() : fmt::format(".{}", name);
  if (!stripped_type(&next, type)) return {};
  return step;
}

// From an object of the type to what is no class of the program's own. Both are then of where it ended.
std::string walk_down(Dwarf_Die& type, std::uint64_t& offset) {
  std::string path;
  for (int depth = 0; depth < kMaxTypeDepth && !library_type(&type); ++depth) {
    const auto step = descend(&type, offset);
    if (!step) break;
    path += *step;
  }
  return path;
}

}  // namespace

bool stripped_type(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) == nullptr) return false;
  return dwarf_peel_type(type, type) == 0;
}

namespace {

// "atomic<State>", "__atomic_base<int>": the classes of the C++ library that hold one value.
bool is_atomic_class(Dwarf_Die* type) {
  const char* const name = dwarf_diename(type);
  const std::string_view text = name == nullptr ? "" : name;
  return text.starts_with("atomic<") || text.starts_with("__atomic_base<");
}

bool take_value_of_atomic(Dwarf_Die& type) {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return false;
  do {
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return stripped_type(&child, &type);
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

ValueType::Kind kind_of_base_type(Dwarf_Die* type) {
  switch (constant(type, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean:
      return ValueType::Kind::Boolean;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
      return ValueType::Kind::Signed;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
      return ValueType::Kind::Unsigned;
    case DW_ATE_float:
      return ValueType::Kind::Floating;
    default:
      return ValueType::Kind::Unknown;
  }
}

void add_enumerators(Dwarf_Die* type, ValueType& result) {
  constexpr std::size_t kMost = 1000;
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return;
  const unsigned unused = 64 - 8 * result.bytes;
  do {
    Dwarf_Attribute attribute;
    Dwarf_Sword value = 0;
    const char* const name = dwarf_diename(&child);
    if (dwarf_tag(&child) != DW_TAG_enumerator || name == nullptr ||
        dwarf_formsdata(dwarf_attr(&child, DW_AT_const_value, &attribute), &value) != 0)
      continue;
    result.enumerators.emplace_back(static_cast<std::uint64_t>(value) << unused >> unused, name);
  } while (result.enumerators.size() < kMost && dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

ValueType value_type_of(Dwarf_Die type) {
  ValueType result;
  if (is_atomic_class(&type) && !take_value_of_atomic(type)) return result;
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0 || size == 0) return result;
  if (size > 8) return {ValueType::Kind::Opaque};
  result.bytes = static_cast<unsigned>(size);
  switch (dwarf_tag(&type)) {
    case DW_TAG_base_type:
      result.kind = kind_of_base_type(&type);
      break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
      result.kind = ValueType::Kind::Pointer;
      break;
    case DW_TAG_enumeration_type:
      result.kind = ValueType::Kind::Enumeration;
      add_enumerators(&type, result);
      break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_array_type:
      // Small classes of a library are flags and numbers (std::atomic_flag).
      if (size > 4 || !library_type(&type)) result.kind = ValueType::Kind::Opaque;
      break;
    default:
      break;
  }
  return result.is_known() ? result : ValueType();
}

std::optional<std::string> member_path(Dwarf_Die* variable, std::uint64_t offset, ValueType* value_type) {
  Dwarf_Die type;
  if (!stripped_type(variable, &type)) return {};
  std::string path = walk_down(type, offset);
  if (value_type != nullptr) *value_type = offset == 0 ? value_type_of(type) : ValueType{ValueType::Kind::Opaque};
  return offset == 0 || library_type(&type) ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<DwarfMember> member_at(Dwarf_Die type, std::uint64_t offset) {
  DwarfMember member{walk_down(type, offset), 0};
  Dwarf_Word size = 0;
  if (offset != 0 || dwarf_aggregate_size(&type, &size) != 0) return {};
  member.bytes = size;
  member.value_type = value_type_of(type);
  return member;
}

Dwarf_Die description_of(Dwarf_Die* unit) {
  std::uint8_t type = 0;
  Dwarf_Die split{};
  const bool known =
      dwarf_cu_info(unit->cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 && split.addr != nullptr;
  return known && type == DW_UT_skeleton ? split : *unit;
}

const char* file_of(Dwarf_Die* die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_formudata(dwarf_attr(die, attribute_name, &attribute), &number) != 0 ||
      dwarf_diecu(die, &unit, nullptr, nullptr) == nullptr || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      number >= count)
    return nullptr;
  return dwarf_filesrc(files, number, nullptr, nullptr);
}

DwarfUnits::DwarfUnits(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, &bias); unit != nullptr;
       unit = dwfl_module_nextcu(module, unit, &bias)) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0 && ranges_.size() < kMaxRanges;)
      ranges_.push_back({begin + bias, end + bias, unit, bias});
  }
}

Dwarf_Die* DwarfUnits::find(Dwarf_Addr address, Dwarf_Addr* bias) {
  for (const Range& range : ranges_) {
    if (address < range.begin || address >= range.end) continue;
    *bias = range.bias;
    return range.unit;
  }
  return nullptr;
}

DwarfVariables::DwarfVariables(Dwfl_Module* module) {
  dwfl_module_getdwarf(module, &bias_);
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, &bias); unit != nullptr && visited_ < kMaxVisited;
       unit = dwfl_module_nextcu(module, unit, &bias)) {
    Dwarf_Die description = description_of(unit);
    collect(&description, 0);
  }
}

// Variables may also stand in namespaces, functions and their blocks.
void DwarfVariables::collect(Dwarf_Die* parent, int depth) {
  Dwarf_Die child;
  if (depth > kMaxNesting || dwarf_child(parent, &child) != 0) return;
  do {
    ++visited_;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) collect(&child, depth + 1);
    if (tag != DW_TAG_variable) continue;
    for_each_part(&child, [&](Dwarf_Addr address, std::uint64_t offset) {
      variables_.emplace(address, Part{child, offset});
    });
  } while (visited_ < kMaxVisited && dwarf_siblingof(&child, &child) == 0);
}

std::optional<DwarfVariable> DwarfVariables::variable_at(std::uint64_t symbol, std::uint64_t offset) const {
  const auto found = variables_.find(symbol - bias_);
  if (found == variables_.end()) return {};
  Dwarf_Die die = found->second.die;
  ValueType value_type;
  const auto path = member_path(&die, found->second.offset + offset, &value_type);
  const char* name = dwarf_diename(&die);
  if (!path) return {};
  return DwarfVariable{name == nullptr ? "" : name, *path, std::move(value_type)};
}

}  // namespace heddle
