// Tests that no framework runs: `own_runner "it's; here" --list "a b"` lists them, `… --only NAME` runs one.
#include <cassert>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"it's; here", "--list", "a b"})
    return std::puts("two words\nit's; \"$HOME\"\nalone") < 0;
  assert(words.size() == 3 && words[0] == "it's; here" && words[1] == "--only");
  if (words[2] == "alone") return 0;
  std::thread([] {}).join();
  return words[2] == "two words" ? 0 : 1;
}
