// A facet of the program's own, which locales share and the C++ library counts.
#pragma once

#include <locale>
#include <string>
#include <thread>

struct Words : std::locale::facet {
  static std::locale::id id;
  std::string text = std::string(100, 'x');
  mutable int uses = 0;
};
std::locale::id Words::id;
