// See prose.h.
#include "analysis/prose.h"

#include <cctype>

namespace heddle {

Prose::Prose(std::string plain) {
  if (!plain.empty()) spans_.push_back({SpanKind::Plain, std::move(plain)});
}

Prose::Prose(Span span) {
  if (!span.text.empty()) spans_.push_back(std::move(span));
}

Prose& Prose::operator+=(const Prose& more) {
  if (&more == this) return *this += Prose(more);
  for (const Span& span : more.spans_) {
    if (!spans_.empty() && spans_.back().kind == SpanKind::Plain && span.kind == SpanKind::Plain)
      spans_.back().text += span.text;
    else
      spans_.push_back(span);
  }
  return *this;
}

std::string Prose::text() const {
  std::string result;
  for (const Span& span : spans_) result += span.text;
  return result;
}

std::vector<Prose> Prose::lines() const {
  std::vector<Prose> result(1);
  for (const Span& span : spans_) {
    std::string_view rest = span.text;
    for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      Span part = span;
      part.text = rest.substr(0, end);
      result.back() += Prose(std::move(part));
      result.emplace_back();
      rest.remove_prefix(end + 1);
    }
    Span part = span;
    part.text = rest;
    result.back() += Prose(std::move(part));
  }
  return result;
}

Prose Prose::capitalized() const {
  Prose result = *this;
  if (result.empty()) return result;
  char& first = result.spans_.front().text.front();
  first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
  return result;
}

Prose joined(const std::vector<Prose>& parts, std::string_view between) {
  Prose result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) result += std::string(between);
    result += parts[i];
  }
  return result;
}

Prose filled_in(std::string_view format, const std::vector<Prose>& parts) {
  Prose result;
  for (const Prose& part : parts) {
    const auto at = format.find("{}");
    result += std::string(format.substr(0, at));
    result += part;
    format.remove_prefix(at + 2);
  }
  return result + std::string(format);
}

}  // namespace heddle
