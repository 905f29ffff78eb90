// Small helpers for text that people read: numbers, plurals, colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

std::string grouped(std::uint64_t number);                          // "4,711"
std::string counted(std::uint64_t number, std::string_view thing);  // "1 preemption", "2 preemptions"
std::string rounded(std::uint64_t number);                          // to two digits: "4,700"
std::string duration(double seconds);                               // "0.4 s", "2 min 5 s"
std::string indented(std::string_view text, std::string_view indent);
std::string capitalized(std::string text);
// A word of a command line as a shell needs it.
std::string shell_quoted(const std::string& word);

// Colours for a terminal, or none.
struct Style {
  bool color = false;
  std::string bold(std::string_view text) const { return marked("1", text); }
  std::string red(std::string_view text) const { return marked("1;31", text); }
  std::string green(std::string_view text) const { return marked("32", text); }
  std::string yellow(std::string_view text) const { return marked("1;33", text); }
  std::string dim(std::string_view text) const { return marked("2", text); }

 private:
  std::string marked(const char* code, std::string_view text) const;
};

}  // namespace heddle
