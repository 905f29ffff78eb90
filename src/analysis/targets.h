// The functions and variables that a user names for a search to begin with (--method, --var).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/no_preempt.h"
#include "analysis/symbolizer.h"
#include "trace/execution.h"

namespace heddle {

class Targets {
 public:
  // Names with commas between them, or nothing; with * and ? for any text. `modules`: the files that are loaded by now.
  Targets(std::string_view methods, std::string_view variables, std::function<ModuleMap()> modules);

  bool has_methods() const { return !methods_.empty(); }
  bool has_variables() const { return !variables_.empty(); }
  // Is this place in one of the functions? With its scope or without, and what it was inlined into counts, too.
  bool is_method(Site site);
  // Is this object one of the variables, or a part of it? Those without a name of their own, as on the heap, are not.
  bool is_variable(const ObjectRecord& object) { return is_variable(object.address); }
  bool is_variable(std::uint64_t address);
  // What these are called; empty where that is not known.
  std::string function_at(Site site) { return frame_at(site).function; }
  // The innermost code there that is of no library of the language.
  Frame frame_at(Site site);
  // Is code of the user's there, or code that was inlined into it?
  bool is_users(Site site);
  std::string raw(Site site) { return symbolizer().raw(site); }
  std::string variable_at(std::uint64_t address) { return symbolizer().variable(address); }
  // A sentence for each name that nothing has matched, where anything was asked for; with some names that there are.
  std::vector<std::string> unmatched() const;
  // The names of variables that something has matched, and the others. Those that were looked up and matched none, or
  // a sentence that there are none.
  std::vector<std::string> variables_that_match(bool any) const;
  std::string other_variables() const { return other_variables_.text(); }

 private:
  struct Name {
    std::string pattern;
    bool matched = false;
  };
  // What of a kind was looked up: the names that matched none, as far as they are kept, to tell the user.
  struct Others {
    bool asked = false;
    std::set<std::string> names;
    void add(const std::string& name);
    std::string text() const;
  };
  static std::vector<Name> split(std::string_view names);
  Symbolizer& symbolizer();

  std::vector<Name> methods_, variables_;
  Others other_methods_, other_variables_;
  std::function<ModuleMap()> modules_;
  std::unique_ptr<Symbolizer> symbolizer_;
  std::size_t modules_known_ = 0;
  std::unordered_map<Site, bool> known_methods_, known_users_;
  std::unordered_map<std::uint64_t, bool> known_variables_;  // by address
};

}  // namespace heddle
