// The picture of a wait-for graph: an SVG element that stands inside an HTML page and needs nothing else.
#pragma once

#include <string>

#include "report/document.h"

namespace heddle {

// Everything from the program is escaped.
std::string picture_of(const WaitGraph& graph);

}  // namespace heddle
