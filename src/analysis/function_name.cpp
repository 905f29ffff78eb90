// Shortens demangled names; see function_name.h. It works on text alone, left to right, and leaves alone what it does
// not understand.
#include "analysis/function_name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <memory>

// Its header would declare basename() once more.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace heddle {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperator = "operator";

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// How many characters the bracketed part at the front of `text` takes.
std::size_t bracketed(std::string_view text, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (text[i] == opening) ++depth;
    if (text[i] == closing && !arrow && --depth == 0) return i + 1;
  }
  return text.size();
}

// How many characters an operator's name at the front of `text` takes: "operator<<", "operator()", "operator bool".
std::size_t operator_name(std::string_view text) {
  std::size_t end = kOperator.size();
  if (starts_with(text.substr(end), "()") || starts_with(text.substr(end), "[]")) return end + 2;
  if (end < text.size() && text[end] == ' ') {  // new, delete, conversions
    while (end < text.size() && text[end] != '(') ++end;
    return end;
  }
  while (end < text.size() && std::string_view("<>=!+-*/%^&|~,").find(text[end]) != std::string_view::npos) ++end;
  return end;
}

class Shortener {
 public:
  explicit Shortener(std::string_view text) : rest_(text) {}

  std::string shorten() {
    while (!rest_.empty() && !done_) take_next();
    return std::move(name_);
  }

 private:
  void take_next() {
    if (starts_with(rest_, kOperator) && (name_.empty() || !in_identifier(name_.back())) &&
        (rest_.size() == kOperator.size() || !in_identifier(rest_[kOperator.size()])))
      return keep(operator_name(rest_));
    switch (rest_.front()) {
      case '{':
        return keep(bracketed(rest_, '{', '}'));
      case '<':
        return skip(bracketed(rest_, '<', '>'));
      case '(':
        return starts_with(rest_, kAnonymous) ? keep(kAnonymous.size()) : parameters();
      case ' ':
        return space();
      default:
        return keep(1);
    }
  }

  void keep(std::size_t count) {
    name_ += rest_.substr(0, count);
    skip(count);
  }
  void skip(std::size_t count) { rest_.remove_prefix(count); }

  // Behind the parameters the name is over, unless something within the function is meant.
  void parameters() {
    skip(bracketed(rest_, '(', ')'));
    done_ = !starts_with(rest_, "::") && name_ != "decltype";
  }

  // What came before a space is a return type; "[clone .cold]" is nothing.
  void space() {
    skip(1);
    if (rest_.empty() || rest_.front() == '[')
      done_ = true;
    else if (rest_.front() != '<')
      name_.clear();  // "operator<< <char>"
  }

  std::string_view rest_;
  std::string name_;
  bool done_ = false;
};

std::string without(std::string text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

// Where a lambda's own part of the name begins: gcc's spelling, clang's spelling.
std::size_t lambda_in(const std::string& name) {
  const auto gcc = name.rfind("::{lambda(");
  return gcc != std::string::npos ? gcc : name.find("::$_");
}

// "<Vec<T> as Drop>" -> "Vec", "<[T]>" -> "[T]".
std::string rust_path(std::string_view demangled);
std::string type_of_rust(std::string_view in_brackets) {
  int depth = 0;
  for (std::size_t i = 0; i + 4 <= in_brackets.size(); ++i) {
    if (in_brackets[i] == '<') ++depth;
    if (in_brackets[i] == '>') --depth;
    if (depth == 0 && starts_with(in_brackets.substr(i), " as ")) return rust_path(in_brackets.substr(0, i));
  }
  return rust_path(in_brackets);
}

// Without type arguments: "<alloc::vec::Vec<T>>::push::<u8>" -> "alloc::vec::Vec::push".
std::string rust_path(std::string_view demangled) {
  std::string path;
  while (!demangled.empty()) {
    if (demangled.front() != '<') {
      path += demangled.front();
      demangled.remove_prefix(1);
      continue;
    }
    const std::size_t taken = bracketed(demangled, '<', '>');
    if (path.empty() && taken >= 2) path = type_of_rust(demangled.substr(1, taken - 2));
    if (path.ends_with("::")) path.resize(path.size() - 2);
    demangled.remove_prefix(taken);
  }
  return path;
}

// The older of Rust's two manglings is a C++ name that ends in a hash.
std::string rust_name(const char* name) {
  const std::unique_ptr<char, void (*)(void*)> text(rust_demangle(name, 0), std::free);
  return text ? rust_path(text.get()) : std::string();
}

// Tags that nobody wrote: whatever has to do with std::string has "[abi:cxx11]".
std::string without_tags(std::string name) {
  for (auto at = name.find("[abi:"); at != std::string::npos; at = name.find("[abi:", at))
    name.erase(at, bracketed(std::string_view(name).substr(at), '[', ']'));
  return name;
}

}  // namespace

std::string demangle(const char* name) {
  const std::string_view prefix = std::string_view(name).substr(0, 2);
  if (prefix != "_Z" && prefix != "_R") return name;  // a C function `w` is no wchar_t
  if (std::string rust = rust_name(name); !rust.empty()) return rust;
  if (prefix == "_R") return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text ? without_tags(text.get()) : name;
}

bool is_nameless(std::string_view short_name) {
  const auto begins = [&](std::string_view word) {
    return starts_with(short_name, word) && (short_name.size() == word.size() || short_name[word.size()] == ' ');
  };
  return begins(kLambda) || begins(kClosure);
}

std::string short_function_name(std::string_view demangled) {
  const std::string name = without(Shortener(demangled).shorten(), "(anonymous namespace)::");
  if (name.empty()) return std::string(demangled);
  if (name == "operator()") return kLambda;                              // DWARF's name for it
  for (const char* const of_closure : {"::{closure#", "::{{closure}}"})  // Rust's two spellings
    if (const auto closure = name.find(of_closure); closure != std::string::npos)
      return fmt::format("{} in {}", kClosure, name.substr(0, closure));
  const auto lambda = lambda_in(name);
  return lambda == std::string::npos ? name : fmt::format("{} in {}", kLambda, name.substr(0, lambda));
}

}  // namespace heddle
