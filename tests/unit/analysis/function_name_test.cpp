// Short function names.
#include "analysis/function_name.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(FunctionName, Shortened) {
  const std::pair<const char*, const char*> cases[] = {
      {"main", "main"},
      {"drain(Queue&, int)", "drain"},
      {"void Queue<int, std::allocator<int> >::drain(int) const", "Queue::drain"},
      {"Queue::operator()(int)", "Queue::operator()"},
      {"bool operator<(A const&, B const&)", "operator<"},
      {"std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<"},
      {"(anonymous namespace)::worker(void*)", "worker"},
      {"a::(anonymous namespace)::B<int>::f()", "a::B::f"},
      {"main::{lambda()#1}::operator()() const", "lambda in main"},
      {"Pool<int>::start(int)::{lambda(int, char)#2}::operator()(int, char) const", "lambda in Pool::start"},
      {"main::$_0::operator()() const", "lambda in main"},
      {"operator()", "lambda"},
      {"decltype(auto) f<int>(int)", "f"},
      {"std::function<void (int)>::operator()(int) const", "std::function::operator()"},
      {"Q::operator->()", "Q::operator->"},
      {"", ""},
  };
  for (const auto& [full, expected] : cases) EXPECT_EQ(short_function_name(full), expected) << full;
}

TEST(FunctionName, Demangled) {
  EXPECT_EQ(demangle("_ZN5Queue5drainEi"), "Queue::drain(int)");
  EXPECT_EQ(demangle("worker"), "worker");
  EXPECT_EQ(demangle("w"), "w");
  EXPECT_EQ(demangle("_Z4nameB5cxx11"), "name");
  EXPECT_EQ(demangle("_ZN5Queue4nameB5cxx11Ei"), "Queue::name(int)");
}

// Names come out of files: whatever stands there, nothing may go wrong.
TEST(FunctionName, BrokenNamesDoNoHarm) {
  for (const char* text :
       {"<", ">", "(", ")", "{", "}", "operator", "operator<", "f<", "f(", "a::{lambda(", "<<<>", "->", "$_"})
    (void)short_function_name(text);
}

}  // namespace
}  // namespace heddle
