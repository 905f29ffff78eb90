// Writes a page (document.h) for a medium. The table is page_writers.def.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/document.h"
#include "report/wording.h"

namespace heddle {

// For media that have them.
struct PageLayout {
  std::size_t width = 100;  // in columns
  Style style = {};
};

struct PageWriter {
  const char* name;
  std::string (*write)(const Document& page, const PageLayout& layout);
  Detail detail;  // of the pages that it is for
  const char* help;
};
std::span<const PageWriter> page_writers();

#define PAGE_WRITER(name, function, detail, help) std::string function(const Document& page, const PageLayout& layout);
#include "report/page_writers.def"
#undef PAGE_WRITER

}  // namespace heddle
