// A chart in few lines.
#include "report/story.h"

#include <gtest/gtest.h>

#include "protocol/operations.h"

namespace heddle {
namespace {

using Kind = Chart::Row::Kind;

Span thread_of(TaskId task) { return {SpanKind::Thread, "thread " + std::to_string(task), task}; }

Chart::Row step_of(TaskId task, std::uint32_t number, const std::string& words, const char* place = nullptr) {
  Chart::Row row{Kind::Step, thread_of(task), words, number};
  if (place != nullptr) row.code = Excerpt{{SpanKind::Place, place}, "source();"};
  return row;
}

std::string text_of(const Story::Line& line) {
  std::string text;
  for (const auto& done : line.done) text += (text.empty() ? "" : ", ") + done.words.text();
  return text;
}

TEST(Story, WhatOneThreadDoesIsOneLine) {
  Chart chart;
  chart.rows = {step_of(1, 4, "locks a", "a.c:3"), step_of(1, 5, "unlocks a", "a.c:5"),
                step_of(2, 6, "locks a", "a.c:3"), step_of(1, 7, "ends")};
  const Story story = story_of(chart, {});
  ASSERT_EQ(story.lines.size(), 3u);
  EXPECT_EQ(text_of(story.lines[0]), "locks a, unlocks a");
  EXPECT_EQ(story.lines[0].step, 4u);
  EXPECT_EQ(story.lines[0].done[1].place.value_or(Span()).text, "a.c:5");
  EXPECT_EQ(story.lines[2].step, 7u);
}

TEST(Story, AnInterruptionHasALineAndTheDecisiveStepToo) {
  Chart chart;
  Chart::Row preempted{Kind::Preempted, thread_of(1), "is preempted here"};
  preempted.code = Excerpt{{SpanKind::Place, "a.c:4"}, "count = now + 1;"};
  chart.rows = {step_of(1, 0, "locks a"), step_of(1, 1, "unlocks a"), preempted, step_of(2, 2, "locks a"),
                step_of(2, 3, "unlocks a")};
  const Story story = story_of(chart, 3);
  ASSERT_EQ(story.lines.size(), 4u);
  EXPECT_EQ(story.lines[1].kind, Kind::Preempted);
  EXPECT_EQ(story.lines[1].source, "count = now + 1;");
  EXPECT_FALSE(story.lines[2].decides);
  EXPECT_TRUE(story.lines[3].decides);
  EXPECT_EQ(text_of(story.lines[3]), "unlocks a");
}

TEST(Story, AStepThatThePageSpeaksOfBeginsALine) {
  Chart chart;
  chart.rows = {step_of(1, 0, "locks a"), step_of(1, 1, "unlocks a"), step_of(1, 2, "locks b")};
  const Story story = story_of(chart, {}, {1});
  ASSERT_EQ(story.lines.size(), 2u);
  EXPECT_EQ(text_of(story.lines[1]), "unlocks a, locks b");
}

TEST(Story, WhatTheNextLineSaysIsLeftOut) {
  Chart chart;
  chart.rows = {step_of(1, 0, "waits"),
                {Kind::Stops, thread_of(1), "waits"},
                {Kind::Pruned, {}, "3 steps left out"},
                step_of(2, 9, "signals")};
  EXPECT_EQ(story_of(chart, {}).lines.size(), 2u);
}

TEST(Story, OfALongOneTheInterruptionsAndTheEndStay) {
  Chart chart;
  for (std::uint32_t i = 0; i < 200; ++i) {
    chart.rows.push_back(step_of(static_cast<TaskId>(i % 2), i, "step " + std::to_string(i)));
    if (i == 50) chart.rows.push_back({Kind::Preempted, thread_of(0), "is preempted here"});
  }
  const Story story = story_of(chart, 20);
  std::size_t told = 0, left_out = 0;
  bool interruption = false, decisive = false, before = false;
  for (const Story::Line& line : story.lines) {
    ++(line.kind == Kind::Pruned ? left_out : told);
    interruption = interruption || line.kind == Kind::Preempted;
    decisive = decisive || line.decides;
    before = before || line.step == 50;
  }
  EXPECT_EQ(told, kMostLinesOfStory);
  EXPECT_GE(left_out, 1u);
  EXPECT_LE(left_out, 4u);
  EXPECT_TRUE(interruption && decisive && before);
  EXPECT_EQ(story.lines.back().step, 199u);
}

}  // namespace
}  // namespace heddle
