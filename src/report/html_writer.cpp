// Writes a page as one HTML file that needs nothing else: no network, no other file. Everything from the program is
// escaped, and a policy in the head forbids all scripts and styles but the file's own.
//
// A row of the chart is a row of a table, a lane a column. The words of a span carry what they name (data-name), so
// that the script (html_assets.h) can mark all mentions of one thing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/graph_picture.h"
#include "report/html_assets.h"
#include "report/markup.h"
#include "report/page_writers.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxLanes = Chart::kMostBars;  // with more threads the table has one column for all of them

const char* class_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::Thread:
      return "thread";
    case SpanKind::Object:
    case SpanKind::Memory:
      return "object";
    case SpanKind::Place:
      return "place";
    case SpanKind::Call:
      return "call";
    case SpanKind::Value:
      return "value";
    case SpanKind::Command:
      return "command";
    case SpanKind::Step:
      return "number";
    case SpanKind::Plain:
      break;
  }
  return "";
}

std::string marked(const Span& span) {
  std::string text = escaped_markup(span.text);
  switch (span.kind) {
    case SpanKind::Plain:
      return text;
    case SpanKind::Step:
      return fmt::format("<a class=\"number\" href=\"#step-{}\">{}</a>", span.id, text);
    case SpanKind::Thread:
    case SpanKind::Object:
    case SpanKind::Memory:
      return fmt::format("<button class=\"{}\" data-name=\"{}\">{}</button>", class_of(span.kind), text, text);
    case SpanKind::Place:
      return fmt::format("<span class=\"place\" title=\"{}\">{}</span>", escaped_markup(span.source.file), text);
    default:
      return fmt::format("<span class=\"{}\">{}</span>", class_of(span.kind), text);
  }
}

std::string marked(const Prose& words) {
  std::string result;
  for (const Span& span : words.spans()) result += marked(span);
  return result;
}

std::string written(const Paragraph& block) {
  std::string result;
  for (const Line& line : block.lines) {
    if (line.words.empty()) continue;
    const char* const kind = line.kind == Line::Kind::Quote   ? "quote"
                             : line.kind == Line::Kind::Frame ? "frame"
                                                              : "sentence";
    result += fmt::format("<p class=\"{}\">{}</p>\n", kind, marked(line.words));
  }
  return result;
}

std::string written(const Bullets& block) {
  std::string result = "<ul>\n";
  for (const Prose& item : block.items) result += "<li>" + marked(item) + "</li>\n";
  return result + "</ul>\n";
}

std::string written(const WaitGraph& block) { return picture_of(block); }

std::string written(const Glossary& block) {
  std::string result = "<dl>\n";
  for (const auto& entry : block.entries)
    result += fmt::format("<dt>{}</dt><dd>{}</dd>\n", marked(entry.name), marked(entry.meaning));
  return result + "</dl>\n";
}

const char* class_of(Chart::Row::Kind kind) {
  using Kind = Chart::Row::Kind;
  switch (kind) {
    case Kind::Step:
      return "step";
    case Kind::Access:
      return "access";
    case Kind::Preempted:
      return "preempted";
    case Kind::Stops:
      return "stops";
    case Kind::TimePasses:
      return "time";
    case Kind::Pruned:
      return "left-out";
    case Kind::End:
      break;
  }
  return "end";
}

bool has_row(const Chart& chart, std::uint32_t step) {
  return std::any_of(chart.rows.begin(), chart.rows.end(),
                     [&](const Chart::Row& row) { return row.kind == Chart::Row::Kind::Step && row.step == step; });
}

std::string link_to(const Chart& chart, std::uint32_t step) {
  if (!has_row(chart, step)) return fmt::format("step {}", step);
  return fmt::format("<a class=\"number\" href=\"#step-{0}\">step {0}</a>", step);
}

// What a row is to the reads of old values: it made one, or its store was missed.
std::string old_values_of(const Chart& chart, const Chart::Row& row) {
  std::string text;
  if (row.kind != Chart::Row::Kind::Step) return text;
  for (const Chart::OldRead& old : chart.old_reads) {
    if (old.load == row.step) {
      const std::string from = old.store   ? " that " + link_to(chart, *old.store) + " stored"
                               : old.known ? ", the first one"
                                           : "";
      text += fmt::format("<div class=\"old\">reads an old value{}; misses the store of {}</div>", from,
                          link_to(chart, old.missed));
    }
    if (old.missed == row.step) text += fmt::format("<div class=\"old\">missed by {}</div>", link_to(chart, old.load));
  }
  return text;
}

std::string cell_of(const Chart& chart, const Chart::Row& row) {
  std::string text = fmt::format("<div class=\"words\">{}</div>{}", marked(row.words), old_values_of(chart, row));
  if (!row.code || row.same_code) return text;
  text += "<div class=\"code\">" + marked(row.code->place);
  if (!row.code->through.empty()) text += " in " + escaped_markup(row.code->through);
  if (!row.code->source.empty()) text += fmt::format("<pre>{}</pre>", escaped_markup(row.code->source));
  return text + "</div>";
}

std::string margin_of(const Chart::Row& row) {
  if (row.kind == Chart::Row::Kind::Step) return std::to_string(row.step);
  return row.kind == Chart::Row::Kind::Pruned ? "…" : row.kind == Chart::Row::Kind::End ? "end" : "";
}

// The bars of a cell, and what they say; with a blank before it.
std::string attributes_of(const Chart::Bar& bar) {
  if (bar.locks.empty() && !bar.waits) return {};
  std::string title = bar.locks.empty() ? "" : "holds ";
  for (std::size_t i = 0; i < bar.locks.size(); ++i) title += (i == 0 ? "" : ", ") + bar.locks[i].text;
  if (bar.waits) title += bar.locks.empty() ? "waits" : "; waits";
  return fmt::format(" class=\"{}{}{}\" title=\"{}\"", bar.locks.empty() ? "" : "holds",
                     !bar.locks.empty() && bar.waits ? " " : "", bar.waits ? "stands" : "", escaped_markup(title));
}

// What names a step for links, and for an arrow the store whose old value it read; with a blank before it.
std::string identity_of(const Chart& chart, const Chart::Row& row) {
  if (row.kind != Chart::Row::Kind::Step) return {};
  std::string text = fmt::format(" id=\"step-{}\"", row.step);
  for (const Chart::OldRead& old : chart.old_reads)
    if (old.load == row.step && old.store) text += fmt::format(" data-reads=\"step-{}\"", *old.store);
  return text;
}

std::string row_of(const Chart& chart, const Chart::Row& row, bool side_by_side) {
  const bool missed = row.kind == Chart::Row::Kind::Step &&
                      std::any_of(chart.old_reads.begin(), chart.old_reads.end(),
                                  [&](const Chart::OldRead& old) { return old.missed == row.step; });
  std::string result =
      fmt::format("<tr class=\"{}{}{}\"{}><th>{}</th>", class_of(row.kind), row.preemption ? " costs" : "",
                  missed ? " missed" : "", identity_of(chart, row), margin_of(row));
  const auto lane = std::find_if(chart.lanes.begin(), chart.lanes.end(), [&](const Span& one) {
    return one.kind == row.thread.kind && one.id == row.thread.id;
  });
  const bool has_lane = side_by_side && lane != chart.lanes.end();
  const std::string who = has_lane || row.thread.text.empty() ? std::string() : marked(row.thread) + " ";
  const std::size_t at = has_lane ? static_cast<std::size_t>(lane - chart.lanes.begin()) : 0;
  const std::size_t lanes = side_by_side ? chart.lanes.size() : 1;
  for (std::size_t i = 0; i < lanes; ++i)
    result += fmt::format("<td{}>{}</td>", side_by_side && i < row.bars.size() ? attributes_of(row.bars[i]) : "",
                          i == at ? who + cell_of(chart, row) : std::string());
  return result + "</tr>\n";
}

// What the script shows of a step: calls, source and values. A "<" could end the element.
std::string details_of(const Chart& block) {
  using Json = nlohmann::ordered_json;
  std::map<std::tuple<std::string, int, std::string>, std::size_t> numbers;
  Json frames = Json::array(), steps = Json::object(), sources = Json::array();
  for (const Chart::Row& row : block.rows) {
    if (row.kind != Chart::Row::Kind::Step) continue;
    Json stack = Json::array(), values = Json::array();
    for (const SourcePosition& place : row.stack) {
      const auto [number, is_new] = numbers.try_emplace({place.file, place.line, place.function}, numbers.size());
      if (is_new) frames.push_back({place.function, place.file, place.line});
      stack.push_back(number->second);
    }
    for (const Chart::Value& value : row.values) values.push_back({value.variable, value.value});
    steps[std::to_string(row.step)] = {
        {"thread", row.thread.text}, {"does", row.words.text()}, {"stack", stack}, {"values", values}};
  }
  for (const Chart::Source& source : block.sources) sources.push_back({source.file, source.first, source.lines});
  const Json all{{"frames", std::move(frames)}, {"sources", std::move(sources)}, {"steps", std::move(steps)}};
  std::string text = all.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return "<script type=\"application/json\" id=\"steps\">" + text + "</script>\n";
}

std::string written(const Chart& block) {
  const bool side_by_side = !block.lanes.empty() && block.lanes.size() <= kMaxLanes;
  std::string result = "<div class=\"chart\"><table>\n<thead><tr><th>step</th>";
  if (side_by_side)
    for (const Span& lane : block.lanes) result += "<th>" + marked(lane) + "</th>";
  else
    result += "<th>what the threads do</th>";
  result += "</tr></thead>\n<tbody>\n";
  for (const Chart::Row& row : block.rows) result += row_of(block, row, side_by_side);
  result += "</tbody></table>";
  if (!block.old_reads.empty()) result += "<svg class=\"reads\" aria-hidden=\"true\"></svg>";  // the script draws it
  return result + "</div>\n" + details_of(block);
}

// Not for this medium, which gets full pages; a list says the same.
std::string written(const Story& block) {
  std::string result = "<ol>\n";
  for (const Story::Line& line : block.lines)
    for (const Story::Line::Done& done : line.done)
      result += fmt::format("<li>{} {}</li>\n", marked(line.thread), marked(done.words));
  return result + "</ol>\n";
}

std::string written(const States& block) {
  std::string result = "<dl>\n";
  for (const auto& entry : block.entries) {
    const std::string source =
        entry.source.empty() ? std::string() : fmt::format("<pre>{}</pre>", escaped_markup(entry.source));
    result += fmt::format("<dt>{}</dt><dd>{}{}</dd>\n", marked(entry.thread), marked(entry.state), source);
  }
  return result + "</dl>\n";
}

std::string written(const CallStacks& block) {
  std::string result = block.note.empty() ? std::string() : fmt::format("<p>{}</p>\n", marked(block.note));
  for (const auto& entry : block.entries) {
    result += fmt::format("<details><summary>{}</summary><ol>\n", marked(entry.step));
    for (const Prose& frame : entry.frames) result += fmt::format("<li>{}</li>\n", marked(frame));
    result += "</ol></details>\n";
  }
  return result;
}

std::string written(const Commands& block) {
  std::string result = "<dl class=\"commands\">\n";
  for (const auto& entry : block.entries)
    result += fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", escaped_markup(entry.command.text),
                          escaped_markup(entry.effect));
  return result + "</dl>\n";
}

}  // namespace

std::string write_html(const Document& page, const PageLayout&) {
  std::string result = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
      escaped_markup(page.title.text()), kPageStyle, marked(page.title));
  for (const std::string& note : page.notes)
    result += fmt::format("<p class=\"note\">note: {}</p>\n", escaped_markup(note));
  for (const Section& section : page.sections) {
    result += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, escaped_markup(section.title));
    if (std::string_view(section.id) == "how-it-came") result += kPageTools;
    for (const Block& block : section.blocks) result += std::visit([](const auto& one) { return written(one); }, block);
    result += "</section>\n";
  }
  return result + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", kPageScript);
}

}  // namespace heddle
