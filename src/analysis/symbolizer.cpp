// Lookup in DWARF and ELF symbol tables with elfutils; see symbolizer.h.
#include "analysis/symbolizer.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "analysis/dwarf_blocks.h"
#include "analysis/dwarf_functions.h"
#include "analysis/dwarf_locals.h"
#include "analysis/dwarf_variables.h"
#include "analysis/function_name.h"
#include "analysis/python_functions.h"
#include "analysis/source_text.h"
#include "protocol/known_libraries.h"
#include "protocol/scripts.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxInlineDepth = 64;

// elfutils would ask debuginfod servers if the environment names some: finding a bug must not need a network.
class NoDebuginfod {
 public:
  NoDebuginfod() {
    if (const char* urls = std::getenv(kVariable)) saved_ = urls;
    if (saved_) ::unsetenv(kVariable);
  }
  ~NoDebuginfod() {
    if (saved_) ::setenv(kVariable, saved_->c_str(), 1);
  }

 private:
  static constexpr const char* kVariable = "DEBUGINFOD_URLS";
  std::optional<std::string> saved_;
};

int find_local_debuginfo(Dwfl_Module* module, void** user_data, const char* module_name, Dwarf_Addr base,
                         const char* file, const char* debuglink_file, GElf_Word debuglink_crc, char** debug_file) {
  const NoDebuginfod guard;
  return dwfl_standard_find_debuginfo(module, user_data, module_name, base, file, debuglink_file, debuglink_crc,
                                      debug_file);
}

char* debug_path = nullptr;  // elfutils' default: beside the file, then /usr/lib/debug
const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = find_local_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = &debug_path};

struct Scopes {
  Dwarf_Die* dies = nullptr;
  int count = 0;
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  ~Scopes() { std::free(dies); }
};

std::string own_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute)))
      return short_function_name(demangle(text));
  return {};
}

// DWARF calls every lambda operator(): whose it is tells the place of its definition.
std::string function_of(Dwarf_Die* die) {
  std::string name = own_name(die);
  if (name != kLambda) return name;
  Dwarf_Die definition = *die;
  Dwarf_Attribute attribute;
  for (const unsigned of : {DW_AT_abstract_origin, DW_AT_specification})
    if (dwarf_attr(&definition, of, &attribute) != nullptr && dwarf_formref_die(&attribute, &definition) == nullptr)
      return name;
  Scopes around;
  around.count = dwarf_getscopes_die(&definition, &around.dies);
  for (int i = 1; i < around.count; ++i)
    if (dwarf_tag(&around.dies[i]) == DW_TAG_subprogram)
      return fmt::format("{} in {}", kLambda, own_name(&around.dies[i]));
  return name;
}

std::string symbol_of(Dwfl_Module* module, Dwarf_Addr address) {
  const char* symbol = dwfl_module_addrname(module, address);
  return symbol == nullptr ? std::string() : short_function_name(demangle(symbol));
}

std::string tidy_path(const char* path, const char* folder) {
  if (path == nullptr) return {};
  std::filesystem::path result(path);
  if (result.is_relative() && folder != nullptr) result = std::filesystem::path(folder) / result;
  return result.lexically_normal().string();
}

const char* folder_of(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

// LLVM gives code that belongs to no line the number 0: the line before in the same file tells more.
int line_before(Dwarf_Die* unit, Dwarf_Line* line, const char* file) {
  constexpr int kMost = 16;
  for (int i = 0; i < kMost; ++i) {
    Dwarf_Addr begin = 0;
    int number = 0;
    if (dwarf_lineaddr(line, &begin) != 0 || begin == 0) return 0;
    line = dwarf_getsrc_die(unit, begin - 1);
    const char* const other = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (other == nullptr) return 0;
    if (dwarf_lineno(line, &number) == 0 && number != 0 && std::strcmp(other, file) == 0) return number;
  }
  return 0;
}

SourcePlace line_of(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Line* line = dwarf_getsrc_die(unit, address);
  const char* const file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
  SourcePlace place;
  if (file == nullptr) return place;
  dwarf_lineno(line, &place.line);
  if (place.line == 0) place.line = line_before(unit, line, file);
  if (place.line != 0) place.file = tidy_path(file, folder_of(unit));
  return place;
}

// Where an inlined function was called.
SourcePlace call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  SourcePlace place;
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  place.file = tidy_path(file_of(inlined, DW_AT_call_file), folder_of(unit));
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0)
    place.line = static_cast<int>(line);
  return place;
}

}  // namespace

// What is known of some loaded files.
struct Symbolizer::Debug {
  const ModuleMap modules;
  const ModuleNames names;
  SourceText source;
  PythonFunctions python;
  std::map<Site, std::vector<Frame>> frames_known;
  Dwfl* dwfl = nullptr;
  std::map<Dwfl_Module*, DwarfUnits> units;
  std::map<Dwfl_Module*, DwarfVariables> variables;
  std::map<void*, DwarfFunctions> functions;  // by the unit's address

  std::map<std::uint64_t, std::vector<Dwarf_Die>> scopes_known;  // to look for them takes long in large files

  explicit Debug(const ModuleMap& of) : modules(of), names(modules), dwfl(dwfl_begin(&kCallbacks)) {
    if (dwfl == nullptr) return;
    dwfl_report_begin(dwfl);
    for (const auto& entry : modules.entries())
      if (!is_in_script(entry.base))
        dwfl_report_elf(dwfl, entry.path.c_str(), entry.path.c_str(), -1, entry.base, true);
    dwfl_report_end(dwfl, nullptr, nullptr);
  }
  ~Debug() { dwfl_end(dwfl); }
  Debug(const Debug&) = delete;
  Debug& operator=(const Debug&) = delete;

  Dwfl_Module* module(std::uint64_t address) const {
    return dwfl == nullptr ? nullptr : dwfl_addrmodule(dwfl, address);
  }

  // Compilers other than gcc write no .debug_aranges; then the units' own ranges tell. Where only some units of a
  // module have them, elfutils takes the gaps for parts of the unit before.
  Dwarf_Die* unit(Dwfl_Module* of, Dwarf_Addr address, Dwarf_Addr* bias) {
    Dwarf_Die* die = dwfl_module_addrdie(of, address, bias);
    if (die != nullptr && dwarf_haspc(die, address - *bias) == 1) return die;
    return units.try_emplace(of, of).first->second.find(address, bias);
  }

  // The frames of a place, without the module.
  std::vector<Frame> frames(Dwarf_Die* unit, Dwarf_Addr address, Dwarf_Addr bias) {
    std::vector<Frame> result;
    SourcePlace place = line_of(unit, address);
    for (Dwarf_Die scope : scopes_at(unit, address, bias)) {
      if (result.size() == kMaxInlineDepth) break;
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      const bool inlined = tag == DW_TAG_inlined_subroutine;
      result.push_back({function_of(&scope), place.file, place.line, {}, inlined});
      if (!inlined) break;
      place = call_of(unit, &scope);
    }
    if (result.empty() && !place.file.empty()) result.push_back({{}, place.file, place.line, {}, false});
    return result;
  }

  const std::vector<Dwarf_Die>& scopes_at(Dwarf_Die* unit, Dwarf_Addr address, Dwarf_Addr bias) {
    constexpr std::size_t kMost = 100'000;
    if (scopes_known.size() > kMost) scopes_known.clear();
    const auto [known, is_new] = scopes_known.try_emplace(address + bias);
    if (is_new) known->second = find_scopes(unit, address);
    return known->second;
  }

  // Innermost first. dwarf_getscopes() continues an inlined function with what encloses its definition; what encloses
  // its call is wanted.
  std::vector<Dwarf_Die> find_scopes(Dwarf_Die* unit, Dwarf_Addr address) {
    Scopes lexical, scopes;
    Dwarf_Die description = description_of(unit);
    lexical.count = dwarf_getscopes(&description, address, &lexical.dies);
    if (lexical.count > 0) scopes.count = dwarf_getscopes_die(&lexical.dies[0], &scopes.dies);
    if (scopes.count > 0) return {scopes.dies, scopes.dies + scopes.count};
    return functions.try_emplace(description.addr, &description).first->second.scopes_at(address);
  }

  // `calls`: addresses of call instructions.
  DwarfStack scopes_of(const std::vector<Dwarf_Addr>& calls) {
    DwarfStack result;
    for (const Dwarf_Addr pc : calls) {
      Dwfl_Module* const found = module(pc);
      Dwarf_Addr bias = 0;
      Dwarf_Die* const in = found == nullptr ? nullptr : unit(found, pc, &bias);
      if (in != nullptr) result.push_back(scopes_at(in, pc - bias, bias));
    }
    return result;
  }
};

// A run asks about one program over and over, in the search's process and in that of the replay: the last two are kept.
std::shared_ptr<Symbolizer::Debug> Symbolizer::debug_of(const ModuleMap& modules) {
  static std::shared_ptr<Debug> latest, before;
  if (latest && latest->modules == modules) return latest;
  std::swap(latest, before);
  if (!latest || !(latest->modules == modules)) latest = std::make_shared<Debug>(modules);
  return latest;
}

Symbolizer::Symbolizer(const ModuleMap& modules) : debug_(debug_of(modules)) {}

Symbolizer::~Symbolizer() = default;

std::string Symbolizer::raw(Site site) const { return debug_->names.text(site); }

std::uint64_t Symbolizer::before(Site site) const { return site == 0 ? 0 : debug_->modules.here(site) - 1; }

const std::vector<Frame>& Symbolizer::frames(Site site) {
  const auto found = debug_->frames_known.find(site);
  if (found != debug_->frames_known.end()) return found->second;
  return debug_->frames_known.emplace(site, look_up(site)).first->second;
}

SourcePlace Symbolizer::place(Site site) {
  const std::uint64_t address = before(site);
  if (is_in_script(address)) {
    const Frame& frame = frames(site).front();
    return {frame.file, frame.line};
  }
  Dwfl_Module* const module = debug_->module(address);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = module == nullptr ? nullptr : debug_->unit(module, address, &bias);
  return unit == nullptr ? SourcePlace() : line_of(unit, address - bias);
}

std::vector<Frame> Symbolizer::look_up(Site site) {
  std::vector<Frame> result;
  const std::uint64_t address = before(site);
  const ModuleMap::Entry* entry = debug_->modules.find(address);
  if (entry != nullptr && is_in_script(address)) {
    const int line = line_in_script(entry->base, address + 1);
    return {{debug_->python.function_at(entry->path, line), entry->path, line, entry->path, false}};
  }
  if (Dwfl_Module* module = debug_->module(address)) {
    // Of a library that is never the user's only the function is told, which symbol tables know: to read what
    // Debian's libc6-dbg has, which is compressed, takes longer than many a search.
    const bool told_by_line = entry == nullptr || !is_known_library(file_name(entry->path));
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = told_by_line ? debug_->unit(module, address, &bias) : nullptr;
    if (unit != nullptr) result = debug_->frames(unit, address - bias, bias);
    if (result.empty()) result.emplace_back();
    if (result.back().function.empty()) result.back().function = symbol_of(module, address);
  }
  if (result.empty()) result.emplace_back();
  for (Frame& frame : result) frame.module = entry == nullptr ? "" : entry->path;
  return result;
}

namespace {

// The linker's marks (__TMC_END__) have no size and may lie where a variable begins: the symbol that covers the
// address.
const char* covering_variable(Dwfl_Module* module, std::uint64_t address, GElf_Off& offset, GElf_Sym& symbol) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Addr value = 0;
    const char* name = dwfl_module_getsym_info(module, i, &symbol, &value, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    if (address < value || address - value >= symbol.st_size) continue;
    offset = address - value;
    return name;
  }
  return nullptr;
}

// Compilers append what no name in C or C++ can have: "_ZL5table.0" is a part of `table`, "count.1" a static variable
// `count` of a C function.
struct Symbol {
  std::string_view name;
  bool split_off;  // it may be no whole variable
};

Symbol without_suffix(std::string_view symbol) {
  const auto dot = symbol.find('.', 1);
  if (dot == std::string_view::npos) return {symbol, false};
  const bool mangled = symbol.substr(0, 2) == "_Z";
  const bool numbered = dot + 1 < symbol.size() && symbol.find_first_not_of("0123456789.", dot) == symbol.npos;
  return {symbol.substr(0, dot), mangled && numbered};
}

}  // namespace

std::string Symbolizer::variable(std::uint64_t address, ValueType* value_type) {
  Dwfl_Module* module = debug_->module(address);
  if (module == nullptr) return {};
  // It stands for what a library does not show: its unnamed critical section, its barriers.
  const ModuleMap::Entry* const file = debug_->modules.find(address);
  if (file != nullptr && is_heddle_library(file->path)) return kLocksOfItsOwn;
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr && symbol.st_size == 0) name = covering_variable(module, address, offset, symbol);
  if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
      offset >= std::max<GElf_Xword>(symbol.st_size, 1))
    return {};
  // The guard of a function-local static stands for the variable.
  static constexpr std::string_view kGuard = "guard variable for ";
  const DwarfVariables& variables = debug_->variables.try_emplace(module, module).first->second;
  const auto known = variables.variable_at(address - offset, offset);
  const Symbol parts = without_suffix(name);
  std::string base = known && parts.name.substr(0, 2) != "_Z" && !known->name.empty()
                         ? known->name
                         : demangle(std::string(parts.name).c_str());
  if (base.compare(0, kGuard.size(), kGuard) == 0) base.erase(0, kGuard.size());
  if (known && value_type != nullptr) *value_type = known->value_type;
  if (known) return base + known->path;
  if (parts.split_off) return "a part of " + base;
  return offset == 0 ? base : fmt::format("{}+{:#x}", base, offset);
}

std::optional<LocalVariable> Symbolizer::local_variable(const MemoryOrigin& origin, std::uint64_t address) {
  for (const StackFrame& frame : origin.frames) {
    const Site pc = frame.site - 1;
    Dwfl_Module* module = debug_->module(pc);
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = module == nullptr ? nullptr : debug_->unit(module, pc, &bias);
    if (unit == nullptr) continue;
    auto local = heddle::local_variable(debug_->scopes_at(unit, pc - bias, bias), pc - bias, frame, address);
    if (!local) continue;
    const std::string function = function_of(&local->function);
    return LocalVariable{local->name, function.compare(0, 6, kLambda) == 0 ? "a " + function : function + "()",
                         local->value_type};
  }
  return {};
}

std::string Symbolizer::member_of_block(const MemoryOrigin& block, std::uint64_t address, std::uint64_t bytes,
                                        const std::vector<std::vector<Site>>& uses, ValueType* value_type) {
  const auto scopes = [this](const std::vector<Site>& stack) {
    std::vector<Dwarf_Addr> calls;
    // What the C library and Heddle know is no class of the program's.
    for (const Site site : stack)
      if (is_user_code(Frame{{}, {}, 0, frames(site).front().module, false})) calls.push_back(before(site));
    return debug_->scopes_of(calls);
  };
  std::vector<DwarfStack> stacks;
  stacks.reserve(uses.size());
  for (const auto& stack : uses) stacks.push_back(scopes(stack));
  std::string source;
  for (const Site site : block.stack)
    for (const Frame& frame : frames(site))
      if (is_user_code(frame)) source += debug_->source.line(frame.file, frame.line) + "\n";
  BlockMember member =
      heddle::member_of_block(scopes(block.stack), stacks, {block.size, address - block.begin, bytes}, source);
  if (value_type != nullptr) *value_type = std::move(member.value_type);
  return std::move(member.name);
}

namespace {

bool is_libcxx(const std::string& path) { return file_name(path).substr(0, 10) == "libc++.so."; }

}  // namespace

std::vector<std::string> Symbolizer::uninstrumented_files() const {
  std::vector<std::string> result;
  bool any = false;
  for (const auto& entry : debug_->modules.entries()) {
    any = any || entry.instrumented;
    // libc++ keeps the end of std::call_once in its shared object, and what it does there is no operation of ours.
    const bool may_order = is_user_code(Frame{{}, {}, 0, entry.path, false}) || is_libcxx(entry.path);
    if (!entry.instrumented && may_order && !is_in_script(entry.base)) result.emplace_back(file_name(entry.path));
  }
  return any ? result : std::vector<std::string>();
}

}  // namespace heddle
