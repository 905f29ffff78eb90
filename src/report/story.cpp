// See story.h.
#include "report/story.h"

#include <algorithm>
#include <utility>

#include "report/wording.h"

namespace heddle {
namespace {

using Kind = Chart::Row::Kind;

constexpr std::size_t kMostDone = 5;  // by one thread, in one line
constexpr std::size_t kLast = 10;     // lines that are told in any case
constexpr std::size_t kMostCode = 48;

std::string shortened(const std::string& code) {
  return code.size() <= kMostCode ? code : code.substr(0, kMostCode - 3) + "...";
}

Story::Line::Done done_in(const Chart::Row& row) {
  const bool says_code = row.is_line && row.code && !row.code->source.empty();
  return {says_code ? prose("runs \"{}\"", shortened(row.code->source)) : row.words,
          row.code ? std::optional(row.code->place) : std::nullopt};
}

// Where a script's thread comes to a line and what it does there are one.
bool is_at_line_of(const Chart::Row& row, const Chart::Row* last) {
  return last != nullptr && last->is_line && last->code && row.code && row.kind == Kind::Step &&
         row.thread.id == last->thread.id && row.code->place.text == last->code->place.text;
}

bool goes_on(const Story::Line& line, const Chart::Row& row) {
  return line.kind == Kind::Step && !line.decides && line.thread.id == row.thread.id && line.done.size() < kMostDone;
}

std::vector<Story::Line> lines_of(const Chart& chart, std::optional<std::uint32_t> decisive,
                                  const std::vector<std::uint32_t>& named) {
  std::vector<Story::Line> lines;
  bool left_out = false;  // since the last line
  const Chart::Row* last = nullptr;
  for (const Chart::Row& row : chart.rows) {
    left_out = left_out || row.kind == Kind::Pruned;
    if (row.kind == Kind::Pruned || row.kind == Kind::Stops) continue;  // the numbers, and the next line, say it
    const bool is_step = row.kind == Kind::Step, decides = is_step && decisive == row.step;
    const bool begins = std::exchange(left_out, false) || decides || !is_step ||
                        std::find(named.begin(), named.end(), row.step) != named.end();
    const bool at_line = is_at_line_of(row, std::exchange(last, &row));
    if (at_line && !decides && !lines.empty()) {
      if (!row.is_line) lines.back().done.back() = done_in(row);
      continue;
    }
    if (!begins && !lines.empty() && goes_on(lines.back(), row)) {
      lines.back().done.push_back(done_in(row));
      continue;
    }
    lines.push_back({row.kind, row.thread, {done_in(row)}, row.step, decides});
    if (row.code && !is_step) lines.back().source = row.code->source;
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
  const auto is_chief = [&](std::size_t i) { return lines[i].decides || lines[i].kind == Kind::Access; };
  for (const bool chief : {true, false})
    for (std::size_t i = lines.size(); i-- > 0;)
      if (is_chief(i) == chief && (chief || lines[i].kind != Kind::Step))
        for (const std::size_t near : {i, i - 1, i + 1}) tell(near);
  for (std::size_t i = lines.size(); i-- > 0;) tell(i);
  return told;
}

}  // namespace

Story story_of(const Chart& chart, std::optional<std::uint32_t> decisive, const std::vector<std::uint32_t>& named) {
  std::vector<Story::Line> lines = lines_of(chart, decisive, named);
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
    story.lines.push_back({Kind::Pruned, {}, {{prose("{} left out", counted(i - begin, "line"))}}});
  }
  return story;
}

}  // namespace heddle
