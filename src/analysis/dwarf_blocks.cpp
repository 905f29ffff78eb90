// See dwarf_blocks.h.
#include "analysis/dwarf_blocks.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/dwarf_variables.h"
#include "analysis/lines.h"

namespace heddle {
namespace {

constexpr int kMaxChildren = 2000;  // of one entry: a unit's namespace is no function's

bool is_class(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

void for_each_child(Dwarf_Die* parent, const auto& action) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  int seen = 0;
  do action(&child);
  while (++seen < kMaxChildren && dwarf_siblingof(&child, &child) == 0);
}

std::optional<Dwarf_Die> type_of(Dwarf_Die* die) {
  Dwarf_Die type;
  return stripped_type(die, &type) ? std::optional(type) : std::nullopt;
}

bool is_pointer(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

// The classes that functions know, each once.
class Classes {
 public:
  // What a function's parameters, variables and template parameters are, or point to.
  void add_function(Dwarf_Die scope) {
    add_variables(&scope);
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_formref_die(dwarf_attr(&scope, DW_AT_abstract_origin, &attribute), &origin) != nullptr)
      add_variables(&origin);
  }

  const std::vector<Dwarf_Die>& all() const { return all_; }

 private:
  void add_variables(Dwarf_Die* scope) {
    for_each_child(scope, [this](Dwarf_Die* child) {
      const int tag = dwarf_tag(child);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_template_type_parameter)
        if (auto type = type_of(child)) add(*type, 2);
    });
  }

  // The class, and `depth` levels of what its members point to and of its template's parameters: a closure holds what
  // it has captured, and a smart pointer is a template.
  void add(Dwarf_Die type, int depth) {
    if (is_pointer(&type)) {
      const auto target = type_of(&type);
      if (!target) return;
      type = *target;
    }
    if (!is_class(&type) || !seen_.insert(type.addr).second) return;
    all_.push_back(type);
    if (depth == 0) return;
    for_each_child(&type, [this, depth](Dwarf_Die* child) {
      const int tag = dwarf_tag(child);
      if (tag != DW_TAG_member && tag != DW_TAG_template_type_parameter) return;
      if (auto next = type_of(child)) add(*next, depth - 1);
    });
  }

  std::vector<Dwarf_Die> all_;
  std::set<void*> seen_;
};

void add_stack(Classes& classes, const DwarfStack& stack) {
  for (const auto& scopes : stack)
    for (const Dwarf_Die& scope : scopes) {
      classes.add_function(scope);
      if (Dwarf_Die copy = scope; dwarf_tag(&copy) == DW_TAG_subprogram) break;
    }
}

std::string_view name_of(Dwarf_Die* type) {
  const char* name = dwarf_diename(type);
  return name == nullptr ? std::string_view() : name;
}

std::optional<Dwarf_Die> first_template_parameter(Dwarf_Die* type) {
  std::optional<Dwarf_Die> first;
  for_each_child(type, [&first](Dwarf_Die* child) {
    if (!first && dwarf_tag(child) == DW_TAG_template_type_parameter) first = type_of(child);
  });
  return first;
}

// std::make_shared() puts the object behind the counts, at the end of one block.
constexpr std::string_view kSharedBlock = "_Sp_counted_ptr_inplace<";

// How much is taken for granted.
struct Guess {
  bool is_array;   // the block holds several objects of the class
  bool is_inside;  // the part is inside of a larger one of a library's class
};

// What the class would call the part, if it is the block's type; else empty.
BlockMember name_in(Dwarf_Die type, BlockPart part, Guess guess) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0 || size == 0) return {};
  if (starts_with(name_of(&type), kSharedBlock)) {
    constexpr std::uint64_t kCounts = 16;
    const auto object = first_template_parameter(&type);
    if (!object || size != part.block_bytes || part.offset < kCounts) return {};
    return name_in(*object, {part.block_bytes - kCounts, part.offset - kCounts, part.bytes}, {false, guess.is_inside});
  }
  const bool is_array = size < part.block_bytes && guess.is_array && part.block_bytes % size == 0;
  if ((size != part.block_bytes && !is_array) || name_of(&type).empty()) return {};
  const auto member = member_at(type, part.offset % size);
  if (!member || member->path.empty()) return {};  // empty: it is a library's own class
  if (part.bytes != 0 && (guess.is_inside ? member->bytes < part.bytes : member->bytes != part.bytes)) return {};
  const std::string index = is_array ? fmt::format("[{}]", part.offset / size) : std::string();
  return {fmt::format("{}{}{}", name_of(&type), index, member->path), member->value_type};
}

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part_of_word(text[at - 1])) && (end == text.size() || !is_part_of_word(text[end]))) return true;
  }
  return false;
}

// "Queue" of "Queue<int>".
std::string_view word_of(std::string_view name) { return name.substr(0, name.find('<')); }

// The one name that the classes give, or nothing.
BlockMember only_name(const std::vector<Dwarf_Die>& classes, const BlockPart& part, Guess guess,
                      std::string_view source) {
  std::map<std::string, ValueType> names, told;
  for (Dwarf_Die type : classes) {
    const BlockMember member = name_in(type, part, guess);
    if (member.name.empty()) continue;
    names.emplace(member.name, member.value_type);
    if (has_word(source, word_of(name_of(&type)))) told.emplace(member.name, member.value_type);
  }
  const auto& chosen = names.size() == 1 ? names : told;
  return chosen.size() == 1 ? BlockMember{chosen.begin()->first, chosen.begin()->second} : BlockMember();
}

}  // namespace

BlockMember member_of_block(const DwarfStack& allocation, const std::vector<DwarfStack>& uses, const BlockPart& part,
                            std::string_view source) {
  Classes classes;
  add_stack(classes, allocation);
  for (const DwarfStack& stack : uses) add_stack(classes, stack);
  // The better guesses first: sizes may be equal by chance.
  for (const Guess guess : {Guess{false, false}, Guess{true, false}, Guess{false, true}, Guess{true, true}})
    if (BlockMember member = only_name(classes.all(), part, guess, source); !member.name.empty()) return member;
  return {};
}

}  // namespace heddle
