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
      {"queue::main::{closure#0}", "closure in queue::main"},
      {"queue::main::{closure#1}::{closure#0}", "closure in queue::main"},
      {"queue::main::{{closure}}", "closure in queue::main"},
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

// As rustc 1.95 and, of the older kind, rustc 1.63 write them.
TEST(FunctionName, OfRust) {
  EXPECT_EQ(demangle("_RNvCsiJ6lLKl2xSI_4a_ok4main"), "a_ok::main");
  EXPECT_EQ(demangle("_RNvNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB7_6Thread3new12thread_start"),
            "std::sys::thread::unix::Thread::new::thread_start");
  EXPECT_EQ(
      demangle("_RINvNtCsgEmfK2I1SDS_4core3ptr4copyINtNtNtB4_3mem12maybe_uninit11MaybeUninitjEECsjrHSEGnQ3l9_3std"),
      "core::ptr::copy");
  EXPECT_EQ(demangle("_RNvXs_NtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix14stack_overflowNtB4_7HandlerNtNtNtCsgEmfK2I1SDS_"
                     "4core3ops4drop4Drop4drop"),
            "std::sys::pal::unix::stack_overflow::Handler::drop");
  EXPECT_EQ(demangle("_ZN3std2io5Write9write_fmt17hcfea2bee7cd9c1c3E"), "std::io::Write::write_fmt");
  EXPECT_EQ(demangle("_RNotAName"), "_RNotAName");
}

TEST(FunctionName, Nameless) {
  EXPECT_TRUE(is_nameless(short_function_name("main::{lambda()#1}::operator()() const")));
  EXPECT_TRUE(is_nameless(short_function_name("queue::main::{closure#0}")));
  EXPECT_TRUE(is_nameless(kLambda));
  EXPECT_FALSE(is_nameless("lambdas"));
  EXPECT_FALSE(is_nameless("closure_of"));
}

// Names come out of files: whatever stands there, nothing may go wrong.
TEST(FunctionName, BrokenNamesDoNoHarm) {
  for (const char* text :
       {"<", ">", "(", ")", "{", "}", "operator", "operator<", "f<", "f(", "a::{lambda(", "<<<>", "->", "$_"})
    (void)short_function_name(text);
  for (const char* name : {"_R", "_RNv", "_RINvC", "_ZN3std17h", "_ZN", "_RNvCs_1<4main"}) (void)demangle(name);
}

}  // namespace
}  // namespace heddle
