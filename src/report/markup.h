// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// Nothing of it is taken for markup, in an attribute's value neither.
std::string escaped_markup(std::string_view text);

}  // namespace heddle
