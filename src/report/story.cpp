// See story.h.
#include "report/story.h"

#include <algorithm>

#include "report/wording.h"

namespace heddle {
namespace {

using Kind = Chart::Row::Kind;

constexpr std::size_t kMostDone = 5;  // by one thread, in one line
constexpr std::size_t kLast = 10;     // lines that are told in any case

// Where the steps of a line are: "queue.cpp:13, 15", each once.
void add_place(Story::Line& line, const Span& place) {
  const auto known = [&](const Span& one) { return one.text == place.text; };
  if (std::none_of(line.places.begin(), line.places.end(), known)) line.places.push_back(place);
}

bool goes_on(const Story::Line& line, const Chart::Row& row) {
  return line.kind == Kind::Step && !line.decides && line.thread.id == row.thread.id && line.done.size() < kMostDone;
}

std::vector<Story::Line> lines_of(const Chart& chart, std::optional<std::uint32_t> decisive) {
  std::vector<Story::Line> lines;
  for (const Chart::Row& row : chart.rows) {
    if (row.kind == Kind::Pruned || row.kind == Kind::Stops) continue;  // the numbers, and the next line, say it
    const bool decides = row.kind == Kind::Step && decisive == row.step;
    if (row.kind == Kind::Step && !decides && !lines.empty() && goes_on(lines.back(), row)) {
      lines.back().done.push_back(row.words);
    } else {
      lines.push_back({row.kind, row.thread, {row.words}, row.step, decides, {}, {}});
      if (row.code && row.kind != Kind::Step) lines.back().source = row.code->source;
    }
    if (row.code) add_place(lines.back(), row.code->place);
  }
  return lines;
}

// Which lines stay where there is room for kMostLinesOfStory.
std::vector<bool> worth_telling(const std::vector<Story::Line>& lines) {
  std::vector<bool> told(lines.size(), false);
  std::size_t room = kMostLinesOfStory;
  const auto tell = [&](std::size_t i) {
    if (i >= lines.size() || told[i] || room == 0) return;
    told[i] = true;
    --room;
  };
  for (std::size_t i = lines.size(); i-- > lines.size() - kLast;) tell(i);
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].kind == Kind::Step && !lines[i].decides) continue;
    for (const std::size_t near : {i, i - 1, i + 1}) tell(near);
  }
  for (std::size_t i = lines.size(); i-- > 0;) tell(i);
  return told;
}

}  // namespace

Story story_of(const Chart& chart, std::optional<std::uint32_t> decisive) {
  std::vector<Story::Line> lines = lines_of(chart, decisive);
  if (lines.size() <= kMostLinesOfStory) return {std::move(lines)};
  const std::vector<bool> told = worth_telling(lines);
  Story story;
  for (std::size_t i = 0; i < lines.size();) {
    if (told[i]) {
      story.lines.push_back(std::move(lines[i++]));
      continue;
    }
    const std::size_t begin = i;
    while (i < lines.size() && !told[i]) ++i;
    story.lines.push_back({Kind::Pruned, {}, {prose("{} left out", counted(i - begin, "line"))}, 0, false, {}, {}});
  }
  return story;
}

}  // namespace heddle
