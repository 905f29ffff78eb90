// The content of a page, independent of any medium: sections of blocks, whose words are spans with a meaning
// (analysis/prose.h). It is built once from an execution (page.h) and written by one of the writers (page_writers.h).
//
// It holds no column widths, no padding, no colours and no marks such as "✗": these belong to the writers. Whatever it
// omits (steps that say nothing, the names of a thousand threads) is missing in every medium.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/prose.h"

namespace heddle {

// Brief: what fits a screen. Full: all that a page can say.
enum class Detail : std::uint8_t { Brief, Full };

struct Line {
  enum class Kind : std::uint8_t {
    Sentence,
    Quote,  // what the program or its test framework has said
    Frame,  // of the call stack that belongs to the sentence before it, innermost first
  };
  Kind kind = Kind::Sentence;
  Prose words;  // no line ends
};

// One after the other, each on a line of its own.
struct Paragraph {
  std::vector<Line> lines;
  // Line ends in the words begin new lines.
  void add(const Prose& words, Line::Kind kind = Line::Kind::Sentence) {
    for (Prose& line : words.lines()) lines.push_back({kind, std::move(line)});
  }
};

struct Bullets {
  std::vector<Prose> items;
};

// Code at a place of the program's source.
struct Excerpt {
  Span place;
  std::string source = {};   // the line there; empty: the file can't be read
  std::string through = {};  // what the code there called, where that is a library's without debug information
};

// Who waits for whom, and for what.
struct WaitGraph {
  struct Edge {
    Span waiter;
    Span object;  // that the other has; the other itself, if its end is waited for
    Span holder;
  };
  std::vector<Edge> edges;
};

// What the names on the page mean.
struct Glossary {
  struct Entry {
    Span name;  // a Thread or an Object
    Prose meaning;
  };
  std::vector<Entry> entries;
};

// Time goes down, a lane for each thread.
struct Chart {
  // How a thread stands behind a row.
  struct Bar {
    std::vector<Span> locks = {};  // that it holds
    bool waits = false;            // it can't go on
  };
  struct Value {
    std::string variable, value;
  };
  struct Row {
    enum class Kind : std::uint8_t {
      Step,        // a thread did something; it has a number
      Access,      // one of the two accesses of a data race, behind the step before it
      Preempted,   // the thread was stopped here although it could go on
      Stops,       // the thread goes on later: it waits, or yields
      TimePasses,  // a timeout fires
      Pruned,      // steps that are not shown; of no thread
      End,         // what the thread came to; it does not go on
    };
    Kind kind;
    Span thread;  // in whose lane it is; a thread that stops or ends, but took no step that is shown, may have none
    Prose words;
    std::uint32_t step = 0;               // of Step: its number
    bool preemption = false;              // it cost one: Preempted, and a timeout that fires although others can go on
    std::optional<Excerpt> code{};        // where the thread was
    bool same_code = false;               // its thread was there when the last row that has code was written
    bool is_line = false;                 // all that is said is that a script's thread comes to this line
    std::vector<SourcePosition> stack{};  // of Step: the calls that led there, innermost first
    std::vector<Value> values{};          // of Step: what is known of variables behind it, the last accessed first
    std::vector<Bar> bars{};              // one for each lane; empty where there are more than kMostBars
  };
  // A read of an old value (--memory), by the numbers of the steps.
  struct OldRead {
    std::uint32_t load;
    std::optional<std::uint32_t> store;  // whose value it read; nothing: the first value, or it is not known
    bool known;                          // false: which one was read can't be told
    std::uint32_t missed;                // the newest store then
  };
  static constexpr std::size_t kMostBars = 12;
  // Some lines of a file, around one that a stack names.
  struct Source {
    std::string file;
    int first = 0;  // the number of the first line
    std::vector<std::string> lines;
  };
  std::vector<Span> lanes;  // their threads
  std::vector<Row> rows;
  std::vector<Source> sources;       // for the stacks of the rows
  std::vector<OldRead> old_reads{};  // of loads and stores that may have no row
};

// The same in few lines: what one thread does without an interruption is one.
struct Story {
  struct Line {
    // Something that the thread did, and where; a place may be missing.
    struct Done {
      Prose words;
      std::optional<Span> place = {};
    };
    Chart::Row::Kind kind;  // not Stops
    Span thread;
    std::vector<Done> done;   // at least one
    std::uint32_t step = 0;   // of Step: the number of the first
    bool decides = false;     // it is the step that decides
    std::string source = {};  // where the thread is interrupted; may be empty
  };
  std::vector<Line> lines;
  std::string mark = {};  // of the step that decides: "decides"
};

// Where each thread stands.
struct States {
  struct Entry {
    Span thread;
    Prose state;
    std::string source = {};  // the line of the place that the state names; may be empty
  };
  std::vector<Entry> entries;
};

struct CallStacks {
  Prose note;  // what is missing; empty: nothing
  struct Entry {
    Prose step;  // with its number, thread and words
    std::vector<Prose> frames;
  };
  std::vector<Entry> entries;
};

struct Commands {
  struct Entry {
    Span command;
    std::string effect;
  };
  std::vector<Entry> entries;
};

using Block = std::variant<Paragraph, Bullets, WaitGraph, Glossary, Chart, Story, States, CallStacks, Commands>;

struct Section {
  const char* id;  // "at-the-end": a word for programs, never changed
  const char* title;
  std::vector<Block> blocks;
};

struct Document {
  Prose title;  // "Deadlock in ./test"
  std::vector<std::string> notes;
  std::vector<Section> sections;
};

}  // namespace heddle
