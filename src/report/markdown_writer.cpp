// Writes a page as Markdown, as GitHub and GitLab show it: for an issue or a merge request. Threads are bold; objects,
// places and values are code. The chart is a table.
#include <fmt/format.h>

#include <algorithm>

#include "report/page_writers.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxColumns = 5;  // with more threads the table has one column for all of them

// In a table a "|" ends the cell, in code too.
std::string without_bars(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::size_t longest_run(std::string_view text, char of) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == of ? run + 1 : 0);
  return longest;
}

std::string code(std::string_view text) {
  const std::string ticks(longest_run(text, '`') + 1, '`');
  const char* space = ticks.size() == 1 ? "" : " ";  // a tick at its begin or end would be taken for one of ours
  return fmt::format("{}{}{}{}{}", ticks, space, text, space, ticks);
}

std::string fenced(const std::string& text, const char* language = "") {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  return fmt::format("{}{}\n{}{}\n", fence, language, text, fence);
}

std::string marked(const Span& span) {
  switch (span.kind) {
    case SpanKind::Thread:
      return "**" + escaped(span.text) + "**";
    case SpanKind::Object:
    case SpanKind::Memory:
    case SpanKind::Place:
    case SpanKind::Call:
    case SpanKind::Value:
    case SpanKind::Command:
      return code(span.text);
    case SpanKind::Plain:
    case SpanKind::Step:
      break;
  }
  return escaped(span.text);
}

std::string marked(const Prose& words) {
  std::string result;
  for (const Span& span : words.spans()) result += marked(span);
  return result;
}

std::string cell_of(const Chart::Row& row) {
  using Kind = Chart::Row::Kind;
  std::string text = marked(row.words);
  switch (row.kind) {
    case Kind::Access:
    case Kind::End:
      text = "✗ " + text;
      break;
    case Kind::Preempted:
    case Kind::TimePasses:
      text = "── " + text + " ──";
      break;
    case Kind::Stops:
      text = "(" + text + ")";
      break;
    case Kind::Step:
    case Kind::Pruned:
      break;
  }
  if (row.code && !row.same_code) {
    text += "<br>" + marked(row.code->place);
    if (!row.code->source.empty()) text += " " + code(row.code->source);
    if (!row.code->through.empty()) text += " in " + code(row.code->through);
  }
  return without_bars(std::move(text));
}

std::string margin_of(const Chart::Row& row) {
  switch (row.kind) {
    case Chart::Row::Kind::Step:
      return std::to_string(row.step);
    case Chart::Row::Kind::Pruned:
      return "…";
    case Chart::Row::Kind::End:
      return "end";
    default:
      return {};
  }
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string result = "|";
  for (const std::string& cell : cells) result += cell.empty() ? " |" : " " + cell + " |";
  return result + "\n";
}

// The cells of one row: a column for the step, then one for each lane, or two for the thread and what it does.
std::vector<std::string> cells_of(const Chart& chart, const Chart::Row& row, bool side_by_side) {
  if (!side_by_side) return {margin_of(row), without_bars(marked(row.thread)), cell_of(row)};
  std::vector<std::string> cells(chart.lanes.size() + 1);
  cells[0] = margin_of(row);
  const auto lane = std::find_if(chart.lanes.begin(), chart.lanes.end(), [&](const Span& one) {
    return one.kind == row.thread.kind && one.id == row.thread.id;
  });
  if (lane != chart.lanes.end())
    cells[static_cast<std::size_t>(lane - chart.lanes.begin()) + 1] = cell_of(row);
  else
    cells[1] = (row.thread.text.empty() ? "" : without_bars(marked(row.thread)) + ": ") + cell_of(row);
  return cells;
}

std::string written(const Paragraph& block) {
  std::string result, quote;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const Line& line = block.lines[i];
    const auto next_is = [&](Line::Kind kind) { return i + 1 < block.lines.size() && block.lines[i + 1].kind == kind; };
    if (line.kind == Line::Kind::Quote) {
      quote += line.words.text() + "\n";
      if (!next_is(Line::Kind::Quote)) result += "\n" + fenced(std::exchange(quote, {})) + "\n";
    } else if (line.kind == Line::Kind::Frame) {
      result += "- " + marked(line.words) + (next_is(Line::Kind::Sentence) ? "\n\n" : "\n");
    } else if (!line.words.empty()) {
      result += marked(line.words) + (next_is(Line::Kind::Sentence) ? "\\\n"
                                      : next_is(Line::Kind::Frame)  ? "\n\n"
                                                                    : "\n");
    }
  }
  return result;
}

std::string written(const Bullets& block) {
  std::string result;
  for (const Prose& item : block.items) result += "- " + marked(item) + "\n";
  return result;
}

std::string written(const Glossary& block) {
  std::string result;
  for (const auto& entry : block.entries)
    result += fmt::format("- {}: {}\n", marked(entry.name), marked(entry.meaning));
  return result;
}

std::string written(const Chart& block) {
  const bool side_by_side = !block.lanes.empty() && block.lanes.size() <= kMaxColumns;
  std::vector<std::string> head{"step"};
  if (side_by_side)
    for (const Span& lane : block.lanes) head.push_back(without_bars(escaped(lane.text)));
  else
    head.insert(head.end(), {"thread", "what it does"});
  std::string result = line_of(head) + line_of(std::vector<std::string>(head.size(), "---"));
  for (const Chart::Row& row : block.rows) result += line_of(cells_of(block, row, side_by_side));
  return result;
}

std::string written(const Story& block) {
  using Kind = Chart::Row::Kind;
  std::string result = line_of({"step", "thread", "what it does"}) + line_of({"---", "---", "---"});
  for (const Story::Line& line : block.lines) {
    std::vector<Prose> words;
    for (const Story::Line::Done& done : line.done)
      words.push_back(done.place ? prose("{} ({})", done.words, *done.place) : done.words);
    const Chart::Row row{line.kind, line.thread, joined(words, "; "), line.step};
    result += line_of({margin_of(row), line.kind == Kind::Pruned ? "" : without_bars(marked(line.thread)),
                       cell_of(row) + (line.decides ? " ← " + block.mark : "") +
                           (line.source.empty() ? "" : "<br>" + without_bars(code(line.source)))});
  }
  return result;
}

std::string written(const States& block) {
  std::string result;
  for (const auto& entry : block.entries) {
    const std::string source = entry.source.empty() ? "" : "<br>" + code(entry.source);
    result += fmt::format("- {}: {}{}\n", marked(entry.thread), marked(entry.state), source);
  }
  return result;
}

std::string written(const CallStacks& block) {
  std::string result = block.note.empty() ? "" : marked(block.note) + "\n\n";
  for (const auto& entry : block.entries) {
    result += "- " + marked(entry.step) + "\n";
    for (const Prose& frame : entry.frames) result += "  - " + marked(frame) + "\n";
  }
  return result;
}

// GitHub and GitLab draw it.
std::string written(const WaitGraph& block) {
  const auto text = [](const Span& span) {
    std::string result;
    for (const char letter : span.text) result += letter == '"' ? std::string("#quot;") : std::string(1, letter);
    return result;
  };
  std::string graph = "graph LR\n";
  for (const WaitGraph::Edge& edge : block.edges)
    graph += fmt::format("  t{}[\"{}\"] -- \"{}\" --> t{}[\"{}\"]\n", edge.waiter.id, text(edge.waiter),
                         text(edge.object), edge.holder.id, text(edge.holder));
  return fenced(graph, "mermaid");
}

std::string written(const Commands& block) {
  std::string commands;
  for (const auto& entry : block.entries) commands += fmt::format("{}  # {}\n", entry.command.text, entry.effect);
  return fenced(commands, "sh");
}

}  // namespace

std::string write_markdown(const Document& page, const PageLayout&) {
  std::string result = "### " + marked(page.title) + "\n";
  for (const std::string& note : page.notes) result += "\n> note: " + escaped(note) + "\n";
  for (const Section& section : page.sections) {
    result += fmt::format("\n#### {}\n", section.title);
    for (const Block& block : section.blocks)
      result += "\n" + std::visit([](const auto& one) { return written(one); }, block);
  }
  return result;
}

}  // namespace heddle
