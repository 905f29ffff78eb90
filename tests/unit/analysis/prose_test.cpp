// Text as spans: it reads as plain text would, and keeps what each part names.
#include "analysis/prose.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Span kLock = {SpanKind::Object, "lock", 7};

TEST(Prose, ReadsAsTheTextThatItIsMadeOf) {
  const Prose words = prose("{} waits for {} ({} times)", Span{SpanKind::Thread, "main", 0}, kLock, 3);
  EXPECT_EQ(words.text(), "main waits for lock (3 times)");
  ASSERT_EQ(words.spans().size(), 4u);
  EXPECT_EQ(words.spans()[0].kind, SpanKind::Thread);
  EXPECT_EQ(words.spans()[1].text, " waits for ");
  EXPECT_EQ(words.spans()[2].id, 7u);
  EXPECT_EQ(words.spans()[3].text, " (3 times)") << "plain text in a row is one span";
}

TEST(Prose, BracesInItsPartsAreText) {
  EXPECT_EQ(prose("{}: {}", "operator{}", std::string("{}")).text(), "operator{}: {}");
}

TEST(Prose, LinesKeepTheirSpans) {
  const std::vector<Prose> lines = (Prose("a\nb ") + kLock + "\n").lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text(), "a");
  EXPECT_EQ(lines[1].text(), "b lock");
  EXPECT_EQ(lines[1].spans().back().kind, SpanKind::Object);
  EXPECT_TRUE(lines[2].empty());
  EXPECT_EQ(Prose().lines().size(), 1u);
}

TEST(Prose, ACapitalDoesNotChangeWhatItNames) {
  const Prose words = (kLock + Prose(" is taken")).capitalized();
  EXPECT_EQ(words.text(), "Lock is taken");
  EXPECT_EQ(words.spans().front().id, 7u);
  EXPECT_TRUE(Prose().capitalized().empty());
}

TEST(Prose, CanBeAddedToItself) {
  Prose words = Prose("a ") + kLock + " ";
  words += words;
  EXPECT_EQ(words.text(), "a lock a lock ");
}

TEST(Prose, PartsAreJoined) {
  EXPECT_EQ(joined({}, ", ").text(), "");
  EXPECT_EQ(joined({kLock, "b", kLock}, ", ").text(), "lock, b, lock");
}

}  // namespace
}  // namespace heddle
