// Text for people as a row of spans, each of which says what it names: a thread, an object, a place, a value. So
// whoever shows it can link places and mark all mentions of one thing. It knows nothing of columns, colours or files.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

enum class SpanKind : std::uint8_t {
  Plain,
  Thread,   // id: its TaskId
  Object,   // id: its ObjectId
  Memory,   // what a race is about; id: its address
  Place,    // id: 0; the source says where
  Call,     // a function that the program calls: "std::future::get"
  Step,     // id: its number
  Value,    // what an access read or wrote, what a call returned
  Command,  // for a shell
};

// Where a Place is in the source; of code without debug information only the function may be known.
struct SourcePosition {
  std::string file;  // the whole path
  int line = 0;
  std::string function;

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.file, self.line, self.function);
  }
};

struct Span {
  SpanKind kind = SpanKind::Plain;
  std::string text = {};
  // Two spans of one kind with the same id name the same thing, whatever their texts. Plain, Call, Value and Command
  // have none.
  std::uint64_t id = 0;
  std::uint8_t part = 0;  // of an Object that is a piece of memory: where in it the variable begins
  SourcePosition source = {};
};

// A stretch of text; it may have line ends.
class Prose {
 public:
  Prose() = default;
  Prose(const char* plain) : Prose(std::string(plain)) {}
  Prose(std::string plain);
  Prose(Span span);

  Prose& operator+=(const Prose& more);
  friend Prose operator+(Prose first, const Prose& second) { return std::move(first += second); }

  bool empty() const { return spans_.empty(); }
  const std::vector<Span>& spans() const { return spans_; }
  std::string text() const;
  // What stands between its line ends; at least one.
  std::vector<Prose> lines() const;
  // With a first letter that is a capital.
  Prose capitalized() const;

 private:
  std::vector<Span> spans_;  // none is empty; no two Plain ones in a row
};

Prose joined(const std::vector<Prose>& parts, std::string_view between);

// Texts in which "{}" stands for a part, as in fmt; how many there are is checked when it is compiled.
template <typename... Parts>
struct ProseFormat {
  template <std::size_t kSize>
  consteval ProseFormat(const char (&format)[kSize]) : text(format) {
    std::size_t places = 0;
    for (std::size_t i = 0; i + 1 < kSize; ++i) places += format[i] == '{' && format[i + 1] == '}' ? 1 : 0;
    if (places != sizeof...(Parts)) throw "as many parts as places are needed";
  }
  std::string_view text;
};

template <typename Part>
Prose as_prose(const Part& part) {
  if constexpr (std::integral<Part>)
    return Prose(std::to_string(part));
  else
    return Prose(part);
}

Prose filled_in(std::string_view format, const std::vector<Prose>& parts);

template <typename... Parts>
Prose prose(std::type_identity_t<ProseFormat<Parts...>> format, const Parts&... parts) {
  return filled_in(format.text, {as_prose(parts)...});
}

inline Span step_span(std::uint64_t number) { return {SpanKind::Step, std::to_string(number), number}; }
inline Span call_span(std::string function) { return {SpanKind::Call, std::move(function)}; }
inline Span value_span(std::string value) { return {SpanKind::Value, std::move(value)}; }

}  // namespace heddle
