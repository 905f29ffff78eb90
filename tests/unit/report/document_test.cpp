// The document of a page: what its spans name, and that each writer writes it.
#include <gtest/gtest.h>

#include <set>

#include "analysis/source_text.h"
#include "report/graph_picture.h"
#include "report/page.h"
#include "report/page_writers.h"
#include "support/execution_builder.h"

namespace heddle {
namespace {

using test::ExecutionBuilder;

Document document_of(const Execution& execution, OutcomeKind kind, const std::string& message = "") {
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  SourceText sources;
  const PageInput input{{"./test", "a b"}, kind, message, "out/bug-1.trace", {"rebuilt"}, true};
  return make_page(input, execution, names, sources);
}

void add(std::vector<Span>& all, const Prose& words) {
  all.insert(all.end(), words.spans().begin(), words.spans().end());
}

// Every span of the page.
struct Collect {
  std::vector<Span>& all;
  void operator()(const Paragraph& block) const {
    for (const Line& line : block.lines) add(all, line.words);
  }
  void operator()(const Bullets& block) const {
    for (const Prose& item : block.items) add(all, item);
  }
  void operator()(const WaitGraph& block) const {
    for (const auto& edge : block.edges) all.insert(all.end(), {edge.waiter, edge.object, edge.holder});
  }
  void operator()(const Glossary& block) const {
    for (const auto& entry : block.entries) add(all, Prose(entry.name) + entry.meaning);
  }
  void operator()(const Chart& block) const {
    for (const Span& lane : block.lanes) all.push_back(lane);
    for (const Chart::Row& row : block.rows) add(all, Prose(row.thread) + row.words);
  }
  void operator()(const Story& block) const {
    for (const Story::Line& line : block.lines)
      for (const auto& done : line.done) add(all, Prose(line.thread) + done.words);
  }
  void operator()(const States& block) const {
    for (const auto& entry : block.entries) add(all, Prose(entry.thread) + entry.state);
  }
  void operator()(const CallStacks& block) const {
    for (const auto& entry : block.entries) add(all, entry.step);
  }
  void operator()(const Commands& block) const {
    for (const auto& entry : block.entries) all.push_back(entry.command);
  }
};

std::vector<Span> spans_of(const Document& document) {
  std::vector<Span> all = document.title.spans();
  for (const Section& section : document.sections)
    for (const Block& block : section.blocks) std::visit(Collect{all}, block);
  return all;
}

const Chart& chart_of(const Document& document) {
  for (const Section& section : document.sections)
    for (const Block& block : section.blocks)
      if (const auto* chart = std::get_if<Chart>(&block)) return *chart;
  throw std::runtime_error("the page has no chart");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Nothing of the program's is taken for markup.
TEST(Html, WhatTheProgramSaysIsEscaped) {
  ExecutionBuilder builder;
  builder.step(0, OperationKind::Yield);
  const std::string message = "x.cpp:3: </p><script>alert('1')</script> & \"b\"";
  const std::string page = write_html(document_of(builder.exited(1), OutcomeKind::Assertion, message), {});
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;b&quot;"), page.npos) << page;
}

TEST(Html, EachThreadHasALaneAndEachStepAnAnchor) {
  const std::string page = write_html(document_of(test::crossed_locks(), OutcomeKind::Deadlock), {});
  EXPECT_EQ(count(page, "<section "), count(page, "</section>"));
  EXPECT_EQ(count(page, "<tr"), count(page, "</tr>"));
  EXPECT_NE(page.find("<tr class=\"step\" id=\"step-0\">"), page.npos);
  EXPECT_NE(page.find("<button class=\"object\" data-name=\"mutex 1\">mutex 1</button>"), page.npos);
  EXPECT_NE(page.find("<th><button class=\"thread\" data-name=\"thread 1\">thread 1</button></th>"), page.npos);
  EXPECT_EQ(page.find("http://"), page.npos);
  EXPECT_EQ(page.find("https://"), page.npos);
}

TEST(Html, WhoWaitsForWhomIsAPicture) {
  const std::string page = write_html(document_of(test::crossed_locks(), OutcomeKind::Deadlock), {});
  const auto begin = page.find("<svg"), end = page.find("</svg>");
  ASSERT_LT(begin, end);
  const std::string picture = page.substr(begin, end - begin);
  EXPECT_EQ(count(picture, "<rect"), 2u);
  EXPECT_EQ(count(picture, "<path d="), 2u) << "an arrow each way";
  EXPECT_EQ(count(picture, ">mutex 1</text>"), 1u);
  EXPECT_EQ(count(picture, ">mutex 2</text>"), 1u);
  EXPECT_EQ(picture.find("nan"), picture.npos);
  ExecutionBuilder builder;
  builder.step(0, OperationKind::Yield);
  EXPECT_EQ(write_html(document_of(builder.exited(1), OutcomeKind::Exit), {}).find("<svg"), page.npos);
}

TEST(Html, APictureHoldsWhateverThreadsAreCalled) {
  const Span odd{SpanKind::Thread, "<b>\"ü\"</b> and a name that is far too long for a box", 1};
  const Span lock{SpanKind::Object, "lock", 2};
  const WaitGraph graph{{{odd, lock, odd}}};  // waits for itself
  const std::string picture = picture_of(graph);
  EXPECT_EQ(picture.find("<b>"), picture.npos);
  EXPECT_NE(picture.find("&lt;b&gt;"), picture.npos);
  EXPECT_NE(picture.find("…</text>"), picture.npos);
  EXPECT_EQ(count(picture, "<rect"), 1u);
  EXPECT_EQ(picture.find("nan"), picture.npos);
}

TEST(Markdown, WhoWaitsForWhomIsAGraph) {
  const std::string page = write_markdown(document_of(test::crossed_locks(), OutcomeKind::Deadlock), {});
  EXPECT_NE(page.find("```mermaid\ngraph LR\n"), page.npos) << page;
  EXPECT_NE(page.find("t0[\"main\"] -- \"mutex 2\" --> t1[\"thread 1\"]"), page.npos) << page;
}

// So a page can highlight all mentions: no name of a thread or an object stands in plain text.
TEST(Document, EveryMentionOfAnObjectOrAThreadIsASpanWithItsNumber) {
  const Document document = document_of(test::crossed_locks(), OutcomeKind::Deadlock);
  std::set<std::uint64_t> locks, threads;
  for (const Span& span : spans_of(document)) {
    if (span.text == "mutex 1" || span.text == "mutex 2") {
      EXPECT_EQ(span.kind, SpanKind::Object);
      locks.insert(span.id);
    } else if (span.text == "main" || span.text == "thread 1") {
      EXPECT_EQ(span.kind, SpanKind::Thread);
      EXPECT_EQ(span.id, span.text == "main" ? 0u : 1u);
      threads.insert(span.id);
    } else {
      EXPECT_EQ(count(span.text, "mutex 1") + count(span.text, "thread 1") + count(span.text, "main"), 0u) << span.text;
    }
  }
  EXPECT_EQ(locks.size(), 2u);
  EXPECT_EQ(threads.size(), 2u);
}

TEST(Document, RowsBelongToThreadsAndSayWhatCostsAPreemption) {
  const Execution execution = test::crossed_locks();
  const Document document = document_of(execution, OutcomeKind::Deadlock);
  const Chart& chart = chart_of(document);
  ASSERT_EQ(chart.lanes.size(), 2u);
  std::size_t preemptions = 0, ends = 0;
  for (const Chart::Row& row : chart.rows) {
    EXPECT_EQ(row.thread.kind, SpanKind::Thread);
    preemptions += row.preemption ? 1 : 0;
    ends += row.kind == Chart::Row::Kind::End ? 1 : 0;
    EXPECT_EQ(row.preemption, row.kind == Chart::Row::Kind::Preempted);
    if (row.kind != Chart::Row::Kind::Step) continue;
    EXPECT_EQ(row.thread.id, execution.steps[row.step].task);
  }
  EXPECT_EQ(preemptions, 1u);
  EXPECT_EQ(ends, 2u);
}

TEST(Document, ValuesPlacesAndStepsAreSpans) {
  ExecutionBuilder builder;
  const ObjectId semaphore = builder.object(ObjectKind::Semaphore);
  builder.step(0, OperationKind::SemaphoreGetValue, semaphore).result = 37;
  builder.step(0, OperationKind::SemaphoreWait, semaphore).variant = kTimeout;
  std::set<SpanKind> seen;
  for (const Span& span : spans_of(document_of(builder.exited(1), OutcomeKind::Exit, "ended with 1"))) {
    seen.insert(span.kind);
    EXPECT_TRUE(span.kind != SpanKind::Value || span.text == "37") << span.text;
    EXPECT_TRUE(span.kind != SpanKind::Step || span.text == std::to_string(span.id)) << span.text;
  }
  for (const SpanKind kind : {SpanKind::Value, SpanKind::Place, SpanKind::Step, SpanKind::Command})
    EXPECT_EQ(seen.count(kind), 1u) << static_cast<int>(kind);
}

// Column widths, padding and marks are the writers'.
TEST(Document, HasNoLayoutOfOneMedium) {
  for (const Span& span : spans_of(document_of(test::crossed_locks(), OutcomeKind::Deadlock))) {
    for (const char* const mark : {"  ", "\n", "\x1b", "✗", "──"}) EXPECT_EQ(count(span.text, mark), 0u) << span.text;
  }
}

TEST(Document, SectionsHaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  const Document document = document_of(test::crossed_locks(), OutcomeKind::Deadlock);
  for (const Section& section : document.sections) EXPECT_TRUE(ids.insert(section.id).second) << section.id;
  EXPECT_EQ(ids.size(), 6u);
}

TEST(PageWriters, EachWritesEverySection) {
  const Document document = document_of(test::crossed_locks(), OutcomeKind::Deadlock);
  for (const PageWriter& writer : page_writers()) {
    const std::string page = writer.write(document, {});
    for (const Section& section : document.sections) EXPECT_EQ(count(page, section.title), 1u) << writer.name;
    for (const char* const words : {"rebuilt", "is preempted here", "heddle replay out/bug-1.trace"})
      EXPECT_GE(count(page, words), 1u) << writer.name << words;
  }
}

TEST(Markdown, TheChartIsATableWithAColumnForEachThread) {
  const std::string page = write_markdown(document_of(test::crossed_locks(), OutcomeKind::Deadlock), {});
  EXPECT_EQ(page.rfind("### Deadlock in `./test 'a b'`\n", 0), 0u) << page;
  EXPECT_EQ(count(page, "\n| step | main | thread 1 |\n| --- | --- | --- |\n"), 1u) << page;
  EXPECT_EQ(count(page, "| end | | ✗ can't lock `mutex 1`: **main** has it |"), 1u) << page;
  EXPECT_EQ(count(page, "```sh\nheddle replay out/bug-1.trace  # runs"), 1u) << page;
}

TEST(Markdown, ManyThreadsShareAColumn) {
  ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  for (int i = 0; i < 12; ++i) builder.step(builder.task(), OperationKind::MutexLock, mutex);
  const std::string page = write_markdown(document_of(builder.exited(0), OutcomeKind::Ok), {});
  EXPECT_EQ(count(page, "\n| step | thread | what it does |\n"), 1u) << page;
  EXPECT_EQ(count(page, "| 11 | **thread 12** | locks `mutex 1`"), 1u) << page;
}

TEST(Markdown, WhatTheProgramSaysIsQuotedAndMarksInNamesAreNot) {
  ExecutionBuilder builder;
  builder.message(MessageKind::TaskName, builder.task(), "a|b_c*");
  builder.step(1, OperationKind::ThreadStart);
  const std::string page =
      write_markdown(document_of(builder.exited(1), OutcomeKind::Assertion, "x.cpp:3: `a` failed\n```\nb"), {});
  EXPECT_EQ(count(page, "\n````\nx.cpp:3: `a` failed\n```\nb\n````\n"), 1u) << page;
  EXPECT_EQ(count(page, "**a|b\\_c\\***"), 2u) << page;
  EXPECT_EQ(count(page, "| step | a\\|b\\_c\\* |"), 1u) << page;
}

}  // namespace
}  // namespace heddle
