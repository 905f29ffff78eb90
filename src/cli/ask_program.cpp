// See ask_program.h.
#include "cli/ask_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace heddle::cli {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kTimeout_ms = 5000;

// Reads until the other side closes, the time is over or there is too much.
std::string read_all(int fd) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeout_ms);
  std::string text;
  char buffer[4096];
  pollfd ready{fd, POLLIN, 0};
  while (text.size() < kMaxBytes && std::chrono::steady_clock::now() < end && poll(&ready, 1, kTimeout_ms) > 0) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

pid_t start(const std::string& path, const std::vector<std::string>& words, int output, Streams streams) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (streams == Streams::OutputAndErrors)
    posix_spawn_file_actions_adddup2(&actions, output, 2);
  else
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawn(&child, path.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : 0;
}

}  // namespace

std::string ask_program(const std::string& path, const std::vector<std::string>& words, Streams streams) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = start(path, words, ends[1], streams);
  ::close(ends[1]);
  std::string answer;
  if (child != 0) {
    answer = read_all(ends[0]);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  return answer;
}

}  // namespace heddle::cli
