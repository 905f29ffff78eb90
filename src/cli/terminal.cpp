// Output; see terminal.h. A result that can't be written is an error, unless the reader has closed its end: that was
// its choice. What can't be written to standard error is lost.
#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "trace/atomic_file.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kDefaultWidth = 100;
constexpr std::size_t kMinWidth = 60;

// 0 or an errno value.
int put(std::FILE* out, std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fflush(out) == 0 && whole) return 0;
  const int error = errno != 0 ? errno : EIO;
  std::clearerr(out);
  return error;
}

bool wants_color(ColorMode mode, std::FILE* out) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(out)) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

ProgressDisplay::Mode progress_mode(const Settings& settings) {
  if (settings.quiet) return ProgressDisplay::Mode::Silent;
  return isatty(fileno(stderr)) != 0 ? ProgressDisplay::Mode::Terminal : ProgressDisplay::Mode::Lines;
}

}  // namespace

Terminal::Terminal(const Settings& settings)
    : results_(settings.json == "-" || settings.junit == "-" || settings.sarif == "-" ? stderr : stdout),
      style_{wants_color(settings.color, results_)},
      progress_(stderr, progress_mode(settings)) {}

void Terminal::result(std::string_view text) {
  progress_.clear();
  put_result(printable(text, style_.color));
}

void Terminal::put_result(std::string_view text) {
  const int error = put(results_, text);
  if (error != 0 && error != EPIPE && error_ == 0) error_ = error;
}

ExitStatus Terminal::finish(ExitStatus status) {
  if (error_ == 0 || results_ != stdout) return status;
  message(std::string("could not write to standard output: ") + std::strerror(error_));
  return status == ExitStatus::NoBug ? ExitStatus::WrongUse : status;
}

void Terminal::message(const std::string& text) {
  progress_.clear();
  put(stderr, "heddle: " + printable(text) + "\n");
}

std::string Terminal::json(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  return error == 0 ? std::string() : std::string("could not write to standard output: ") + std::strerror(error);
}

void Terminal::program_output(std::string_view text) {
  progress_.clear();
  if (isatty(fileno(results_)) != 0) return put_result(printable(text));
  put_result(text);  // a file or a pipe gets what the program wrote
}

std::size_t Terminal::width() const {
  winsize size{};
  if (isatty(fileno(results_)) == 0 || ioctl(fileno(results_), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kDefaultWidth;
  return std::max<std::size_t>(size.ws_col, kMinWidth);
}

// A handler that does nothing, not SIG_IGN: an ignored signal stays ignored in the programs that are started.
void survive_failed_writes() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
}

void take_closed_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest that is free, so it is this one; without a /dev/null it stays as it is.
    (void)open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace heddle::cli
