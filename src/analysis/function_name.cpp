// Shortens demangled names; see function_name.h. Works on text alone: whatever it does not understand it leaves as it is.
#include "analysis/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool in_operator(std::string_view text, std::size_t at) {
  // "operator<", "operator()", "operator->": the character at `at` belongs to the name.
  static constexpr std::string_view kWord = "operator";
  for (std::size_t back = 0; back <= 2 && at >= kWord.size() + back; ++back)
    if (text.substr(at - kWord.size() - back, kWord.size()) == kWord) return true;
  return false;
}

// One past the bracket that closes the one at `open`.
std::size_t behind_bracket(std::string_view text, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening && !in_operator(text, i)) ++depth;
    if (text[i] == closing && (i == 0 || text[i - 1] != '-') && !in_operator(text, i) && --depth == 0) return i + 1;
  }
  return text.size();
}

// Keeps "{lambda(int)#1}" and "(anonymous namespace)" as a whole; leaves template arguments out; stops at parameters.
std::string name_part(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (c == '{') {
      end = behind_bracket(text, i, '{', '}');
    } else if (c == '(' && starts_with(text.substr(i), "(anonymous namespace)")) {
      end = i + std::string_view("(anonymous namespace)").size();
    } else if (c == '<' && !in_operator(text, i)) {
      i = behind_bracket(text, i, '<', '>');
      continue;
    } else if (c == '(' && !in_operator(text, i)) {
      break;
    }
    result += text.substr(i, end - i);
    i = end;
  }
  return result;
}

// Cuts the return type off: everything before the last space that stands outside brackets.
std::string without_return_type(const std::string& name) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '{' || name[i] == '(') ++depth;
    if (name[i] == '}' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0 && !in_operator(name, i)) start = i + 1;
  }
  return start < name.size() ? name.substr(start) : name;
}

std::string without(std::string text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

}  // namespace

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

std::string short_function_name(std::string_view demangled) {
  std::string name = without_return_type(name_part(demangled));
  name = without(std::move(name), "(anonymous namespace)::");
  const auto lambda = name.rfind("::{lambda(");
  if (lambda != std::string::npos) return "lambda in " + short_function_name(name.substr(0, lambda));
  // clang's spelling: main::$_0::operator()
  const auto dollar = name.find("::$_");
  if (dollar != std::string::npos) return "lambda in " + name.substr(0, dollar);
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace heddle
