// Writes a page as text for a terminal of a given width. Each thread has a column. If the columns don't fit, the chart
// becomes a list with the thread's name in front of every step.
#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"
#include "report/page_writers.h"

namespace heddle {
namespace {

constexpr std::size_t kMinWidth = 40;
constexpr std::size_t kMaxNames = 40, kMaxNameWidth = 40;  // of the glossary

// Of the chart.
constexpr std::size_t kMarginWidth = 7;      // "  123  "
constexpr std::size_t kMinColumnWidth = 27;  // with the gap
constexpr std::size_t kMaxColumnWidth = 62;
constexpr std::size_t kGap = 2;
constexpr std::size_t kMaxNameWidthInList = 18;
constexpr std::size_t kDetailIndent = 2;
constexpr std::size_t kMaxEndRowsInList = 20;

std::string no_margin() { return std::string(kMarginWidth, ' '); }

class TextChart {
 public:
  TextChart(const Chart& chart, std::size_t width, const Style& style) : chart_(chart), width_(width), style_(style) {}

  std::string write() {
    choose_columns();
    write_head();
    for (const Chart::Row& row : chart_.rows) write_row(row);
    return std::move(out_);
  }

 private:
  enum class Look : std::uint8_t { Plain, Place, Source, Mark };

  void choose_columns();
  void write_head();
  void write_row(const Chart::Row& row);
  void write_fold(const Chart::Row& row);
  void write_end(const Chart::Row& row);
  void write_code(const Span& thread, const Excerpt& code);
  void put(const std::string& margin, const Span& thread, const std::string& text, Look look, std::size_t indent = 0);
  std::size_t column_of(const Span& thread) const;
  static std::vector<std::string> fitted(const std::string& text, Look look, std::size_t room);
  std::string looking(const std::string& text, Look look) const;

  const Chart& chart_;
  std::size_t width_;
  const Style& style_;
  bool is_list_ = false;
  std::size_t column_width_ = 0;
  std::size_t name_width_ = 0;
  std::size_t end_rows_ = 0;
  std::string out_;
};

void TextChart::choose_columns() {
  for (const Span& lane : chart_.lanes)
    name_width_ = std::max(name_width_, std::min(kMaxNameWidthInList, shown_width(lane.text)));
  const std::size_t room = width_ - std::min(width_ / 2, kMarginWidth);
  column_width_ = std::min(kMaxColumnWidth, room / std::max<std::size_t>(1, chart_.lanes.size()));
  is_list_ = chart_.lanes.empty() || column_width_ < kMinColumnWidth;
  if (column_width_ < kMinColumnWidth) column_width_ = room - name_width_;
}

void TextChart::write_head() {
  if (is_list_) {
    out_ += style_.bold(" step  thread and what it does") + "\n";
    return;
  }
  std::string heads = " step  ", rule = " ────  ";
  for (const Span& lane : chart_.lanes) {
    const std::string gap = lane.id == chart_.lanes.back().id ? "" : std::string(kGap, ' ');
    const std::string head = cut_name(lane.text, column_width_ - kGap);
    heads += gap.empty() ? head : padded(head, column_width_);
    for (std::size_t i = 0; i + kGap < column_width_; ++i) rule += "─";
    rule += gap;
  }
  out_ += style_.bold(heads) + "\n" + rule + "\n";
}

void TextChart::write_row(const Chart::Row& row) {
  using Kind = Chart::Row::Kind;
  const std::string words = row.words.text();
  switch (row.kind) {
    case Kind::Step:
      put(fmt::format("{:>5}  ", row.step), row.thread, words, Look::Plain);
      break;
    case Kind::Access:
      put(no_margin(), row.thread, "✗ " + words, Look::Mark);
      break;
    case Kind::Preempted:
    case Kind::TimePasses:
      put(no_margin(), row.thread, "── " + words + " ──", Look::Mark);
      break;
    case Kind::Stops:
      put(no_margin(), row.thread, "(" + words + ")", Look::Plain);
      break;
    case Kind::Pruned:
      write_fold(row);
      break;
    case Kind::End:
      write_end(row);
      break;
  }
  if (row.code && !row.same_code) write_code(row.thread, *row.code);
}

void TextChart::write_fold(const Chart::Row& row) {
  out_ += fmt::format("    …  {}\n", style_.dim(cut(row.words.text(), width_ - kMarginWidth)));
}

void TextChart::write_end(const Chart::Row& row) {
  if (is_list_ ? ++end_rows_ > kMaxEndRowsInList : column_of(row.thread) == chart_.lanes.size()) return;
  put("  end  ", row.thread, "✗ " + row.words.text(), Look::Mark);
}

void TextChart::write_code(const Span& thread, const Excerpt& code) {
  put(no_margin(), thread, code.place.text, Look::Place, kDetailIndent);
  if (!code.source.empty()) put(no_margin(), thread, code.source, Look::Source, kDetailIndent);
  if (!code.through.empty()) put(no_margin(), thread, "in " + code.through, Look::Place, kDetailIndent);
}

void TextChart::put(const std::string& margin, const Span& thread, const std::string& text, Look look,
                    std::size_t indent) {
  const std::string name = is_list_ ? padded(cut_name(thread.text, name_width_), name_width_) + "  " : "";
  const std::size_t before = is_list_ ? 0 : column_of(thread) * column_width_;
  const auto lines = fitted(text, look, column_width_ - kGap - indent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool first = i == 0 && indent == 0;
    out_ += (i == 0 ? margin : no_margin()) + (first || look == Look::Mark ? name : std::string(name.size(), ' ')) +
            std::string(before + indent, ' ') + looking(lines[i], look) + "\n";
  }
}

// The number of lanes: it has none.
std::size_t TextChart::column_of(const Span& thread) const {
  const auto lane =
      std::find_if(chart_.lanes.begin(), chart_.lanes.end(), [&](const Span& one) { return one.id == thread.id; });
  return static_cast<std::size_t>(lane - chart_.lanes.begin());
}

std::vector<std::string> TextChart::fitted(const std::string& text, Look look, std::size_t room) {
  if (look == Look::Source) return {cut(text, room)};
  if (look == Look::Place) return {cut_front(text, room)};
  return wrapped(text, room, kDetailIndent);
}

std::string TextChart::looking(const std::string& text, Look look) const {
  switch (look) {
    case Look::Source:
      return style_.dim(text);
    case Look::Mark:
      return style_.yellow(text);
    case Look::Place:
    case Look::Plain:
      break;
  }
  return text;
}

// "queue.cpp:13"; ":13" in the file that was named last, which is `file`.
std::string short_place(const Span& place, std::string& file) {
  const auto colon = place.text.rfind(':');
  const std::string its_file = colon == std::string::npos ? std::string() : place.text.substr(0, colon);
  const bool same = !its_file.empty() && its_file == file;
  file = its_file;
  return same ? place.text.substr(colon) : place.text;
}

class TextPage {
 public:
  TextPage(const Document& page, const PageLayout& layout)
      : page_(page), width_(std::max(layout.width, kMinWidth)), style_(layout.style) {}

  std::string write() {
    out_ += style_.red(page_.title.text()) + "\n";
    for (const std::string& note : page_.notes) out_ += paragraph("note: " + note, width_);
    for (const Section& section : page_.sections) {
      out_ += "\n" + style_.bold(section.title) + "\n";
      for (const Block& block : section.blocks) std::visit([this](const auto& one) { put(one); }, block);
    }
    return std::move(out_);
  }

 private:
  void put(const Paragraph& block) {
    std::string text;
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      const Line& line = block.lines[i];
      text += (i == 0 ? "" : "\n") + std::string(line.kind == Line::Kind::Frame ? "    " : "") + line.words.text();
    }
    out_ += paragraph(text, width_, "  ", "  ");
  }

  void put(const Bullets& block) {
    for (const Prose& item : block.items) out_ += paragraph(item.text(), width_, "  - ", "    ");
  }

  void put(const Glossary& block) {
    const auto& entries = block.entries;
    std::size_t widest = 0;
    for (const auto& entry : entries) widest = std::max(widest, std::min(shown_width(entry.name.text), kMaxNameWidth));
    for (std::size_t i = 0; i < entries.size() && i < kMaxNames; ++i)
      out_ += paragraph(entries[i].meaning.text(), width_, "  " + padded(entries[i].name.text, widest) + "  ",
                        std::string(widest + 4, ' '));
    if (entries.size() > kMaxNames)
      out_ += paragraph(fmt::format("… and {} more", entries.size() - kMaxNames), width_, "  ", "  ");
  }

  void put(const Chart& block) { out_ += "\n" + TextChart(block, width_, style_).write(); }

  void put(const Story& block) {
    std::size_t widest = 0;
    for (const auto& line : block.lines)
      widest = std::max(widest, std::min(shown_width(line.thread.text), kMaxNameWidthInList));
    out_ += "\n" + style_.bold(" step  " + padded("thread", widest) + "  what it does") + "\n";
    std::string file;
    for (const auto& line : block.lines) out_ += written(block, line, widest, file);
  }

  // "   12  worker  locks a, unlocks a  queue.cpp:12, 14": words, and where.
  std::string written(const Story& story, const Story::Line& line, std::size_t name_width, std::string& file) const {
    using Kind = Chart::Row::Kind;
    const bool is_step = line.kind == Kind::Step;
    const std::string margin = is_step                     ? fmt::format("{:>5}  ", line.step)
                               : line.kind == Kind::End    ? "  end  "
                               : line.kind == Kind::Pruned ? "    …  "
                                                           : no_margin();
    const std::string first = margin + padded(cut_name(line.thread.text, name_width), name_width) + "  ";
    const std::string rest(shown_width(first) + kDetailIndent, ' ');
    const std::string mark = line.kind == Kind::Access || line.kind == Kind::End ? "✗ " : is_step ? "" : "── ";
    std::string words = mark;
    for (std::size_t i = 0; i < line.done.size(); ++i) {
      const auto& [does, place] = line.done[i];
      words += (i == 0 ? "" : "; ") + does.text();
      const bool next_is_there =
          place && i + 1 < line.done.size() && line.done[i + 1].place && line.done[i + 1].place->text == place->text;
      if (place && !next_is_there) words += fmt::format(" ({})", short_place(*place, file));
    }
    if (line.decides) words += "  ← " + story.mark;
    std::string text = paragraph(words, width_, first, rest);
    if (!line.source.empty()) text += rest + style_.dim(cut(line.source, width_ - rest.size())) + "\n";
    if (line.kind == Kind::Pruned) return style_.dim(text);
    return is_step && !line.decides ? text : style_.yellow(text);
  }

  void put(const States& block) {
    for (const auto& entry : block.entries) {
      out_ += paragraph(entry.state.text(), width_, fmt::format("  {}: ", entry.thread.text), "      ");
      if (!entry.source.empty()) out_ += "      " + style_.dim(cut(entry.source, width_ - 6)) + "\n";
    }
  }

  // Not wrapped, so that functions and places can be looked for.
  void put(const CallStacks& block) {
    if (!block.note.empty()) out_ += "  " + block.note.text() + "\n";
    for (const auto& entry : block.entries) {
      out_ += "  " + entry.step.text() + "\n";
      for (const Prose& frame : entry.frames) out_ += "      " + frame.text() + "\n";
    }
  }

  void put(const WaitGraph&) {}  // the sentence before it says the same

  // Not wrapped, so that they can be copied.
  void put(const Commands& block) {
    std::size_t widest = 0;
    for (const auto& entry : block.entries) widest = std::max(widest, shown_width(entry.command.text));
    for (const auto& entry : block.entries)
      out_ += "  " + padded(entry.command.text, widest) + "  " + entry.effect + "\n";
  }

  const Document& page_;
  std::size_t width_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string write_text(const Document& page, const PageLayout& layout) { return TextPage(page, layout).write(); }

}  // namespace heddle
