// Names that mean something to CMake, to the shell or to doctest. The tests that fail show that the right one was run.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <thread>

static void run(bool is_right) {
  std::thread([] {}).join();
  CHECK(is_right);
}

TEST_CASE("with spaces; and more") { run(true); }
TEST_CASE("with spaces; and less") { run(false); }
TEST_CASE("[open, ]] closed ]=] ]==]") { run(true); }
TEST_CASE("[[x]]=") { run(false); }
TEST_CASE("\"quoted\" 'twice' \\ $HOME ${x} @y@ `z` #1") { run(true); }
TEST_CASE("*every* %d <b> & ünï") { run(true); }
TEST_CASE("no thread; *") { CHECK(true); }
