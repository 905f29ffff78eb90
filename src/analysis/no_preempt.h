// --no-preempt: places of the program where the search does not preempt threads, given by function, file or library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/symbolizer.h"

namespace heddle {

struct NoPreemptRule {
  enum class Kind { Function, File, Library } kind = Kind::Function;
  std::string pattern;  // with * and ? for any text; as the user wrote it
};

struct NoPreemptRules {
  std::vector<NoPreemptRule> rules;
  std::string error;  // what is wrong with the text; empty: nothing
};
// "function:push,file:log*.cpp,library:libz.so*".
NoPreemptRules parse_no_preempt(const std::string& text);

// A function matches by its short name, with its scope or without ("Queue::push", "push"); a file or library by its
// name, or by the end of its path.
bool matches(const NoPreemptRule& rule, const Frame& frame);

// Asked of the search for each step: places are looked up once.
class NoPreempt {
 public:
  // `modules`: the files that are loaded by now.
  NoPreempt(std::vector<NoPreemptRule> rules, std::function<ModuleMap()> modules)
      : rules_(std::move(rules)), matched_(rules_.size(), false), modules_(std::move(modules)) {}
  bool empty() const { return rules_.empty(); }
  // Is this a place where a thread is not to be preempted? What the function of the place was inlined into counts, too.
  // Not where the place can't be known again: in the next process it would be another.
  bool holds_at(Site site);
  // Those rules that no place has matched, as the user wrote them.
  std::vector<std::string> unmatched() const;

 private:
  bool look_up(Site site);

  std::vector<NoPreemptRule> rules_;
  std::vector<bool> matched_;
  std::function<ModuleMap()> modules_;
  std::unique_ptr<Symbolizer> symbolizer_;
  std::size_t modules_known_ = 0;
  std::unordered_map<Site, bool> known_;
};

// "function:push".
std::string text_of(const NoPreemptRule& rule);

}  // namespace heddle
