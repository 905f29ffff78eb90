// Clocks of processor time, what sets or adjusts clocks (wrong arguments only: the machine's own must stay as it is),
// resource usage, and random numbers. Only what holds at any speed and for any draw is checked.
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>

#include <climits>
#include <random>
#include <set>

#include "check.h"

namespace {

constexpr int kNoSuchClock = 77;

void check_processor_clocks() {
  clockid_t own = 0, other = 0;
  ERROR_OF("pthread_getcpuclockid", "of the caller", 0, pthread_getcpuclockid(pthread_self(), &own));
  const long long before = now_ns(own);
  HOLDS("pthread_getcpuclockid", "it moves on", now_ns(own) >= before);
  HOLDS("pthread_getcpuclockid", "agrees with CLOCK_THREAD_CPUTIME_ID",
        now_ns(CLOCK_THREAD_CPUTIME_ID) >= before && now_ns(own) - before < 1000000000);
  HOLDS("pthread_getcpuclockid", "not more than the process's", now_ns(own) <= now_ns(CLOCK_PROCESS_CPUTIME_ID));
  Gate seen;
  Thread waiting([&] { return seen.pass(), 0; });
  ERROR_OF("pthread_getcpuclockid", "of another", 0, pthread_getcpuclockid(waiting.handle(), &other));
  HOLDS("pthread_getcpuclockid", "another has another", other != own);
  timespec time;
  ERRNO_OF("clock_gettime", "the processor clock of another thread", 0, clock_gettime(other, &time));
  ERRNO_OF("clock_getres", "the processor clock of another thread", 0, clock_getres(other, &time));
  HOLDS("clock_getres", "processor time of the thread: a nanosecond",
        clock_getres(CLOCK_THREAD_CPUTIME_ID, &time) == 0 && time.tv_sec == 0 && time.tv_nsec == 1);
  seen.open();
  waiting.result();
  const long long process = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  pause_ms(30);
  HOLDS("clock_gettime", "a sleep uses no processor time", now_ns(CLOCK_PROCESS_CPUTIME_ID) - process < 30000000);
  while (now_ns(CLOCK_PROCESS_CPUTIME_ID) - process < 2000000) continue;
  HOLDS("clock_gettime", "a loop that waits for processor time ends", true);
}

void check_setting() {
  ERRNO_OF("clock_settime", "real time, too many nanoseconds", EINVAL,
           clock_settime(CLOCK_REALTIME, &kTooManyNanoseconds));
  ERRNO_OF("clock_settime", "real time, negative nanoseconds", EINVAL,
           clock_settime(CLOCK_REALTIME, &kNegativeNanoseconds));
  ERRNO_OF("clock_settime", "no such clock", EINVAL, clock_settime(kNoSuchClock, &kLongAgo));
  ERRNO_OF("clock_settime", "boot time", EINVAL, clock_settime(CLOCK_BOOTTIME, &kLongAgo));
  ERRNO_OF("clock_settime", "coarse real time", EINVAL, clock_settime(CLOCK_REALTIME_COARSE, &kLongAgo));
  const timeval too_many = {1, 1000000}, negative = {1, -1}, before_all = {-1, 0};
  ERRNO_OF("settimeofday", "too many microseconds", EINVAL, settimeofday(&too_many, nullptr));
  ERRNO_OF("settimeofday", "negative microseconds", EINVAL, settimeofday(&negative, nullptr));
  ERRNO_OF("settimeofday", "negative seconds", EINVAL, settimeofday(&before_all, nullptr));
}

void check_adjusting() {
  timex state{};
  HOLDS("adjtimex", "reading", adjtimex(&state) >= 0);
  HOLDS("adjtimex", "shows the time", llabs(state.time.tv_sec - time(nullptr)) <= 1);
  HOLDS("adjtimex", "the length of a tick", state.tick >= 9000 && state.tick <= 11000);
  state = {};
  HOLDS("ntp_adjtime", "reading", ntp_adjtime(&state) >= 0);
  HOLDS("ntp_adjtime", "shows the time", llabs(state.time.tv_sec - time(nullptr)) <= 1);
  HOLDS("ntp_adjtime", "the precision", state.precision > 0);
  state = {};
  HOLDS("clock_adjtime", "reading", clock_adjtime(CLOCK_REALTIME, &state) >= 0);
  HOLDS("clock_adjtime", "shows the time", llabs(state.time.tv_sec - time(nullptr)) <= 1);
  ERRNO_OF("clock_adjtime", "no such clock", EINVAL, clock_adjtime(kNoSuchClock, &state));
  ntptimeval ntp{};
  HOLDS("ntp_gettimex", "reading", ntp_gettimex(&ntp) >= 0);
  HOLDS("ntp_gettimex", "shows the time", llabs(ntp.time.tv_sec - time(nullptr)) <= 1);
  HOLDS("ntp_gettimex", "an estimate of the error", ntp.esterror >= 0);
  timeval left{};
  ERRNO_OF("adjtime", "reading", 0, adjtime(nullptr, &left));
  HOLDS("adjtime", "what is left is less than a second", llabs(left.tv_sec) <= 1);
  ERRNO_OF("adjtime", "nothing asked for", 0, adjtime(nullptr, nullptr));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void check_usage() {
  timeb old{};
  VALUE_OF("ftime", "returns", 0, ftime(&old));
  HOLDS("ftime", "milliseconds in range", old.millitm < 1000);
  HOLDS("ftime", "shows the time", llabs(old.time - time(nullptr)) <= 1);
  rusage usage{};
  ERRNO_OF("getrusage", "of the process", 0, getrusage(RUSAGE_SELF, &usage));
  HOLDS("getrusage", "some memory", usage.ru_maxrss > 0);
  HOLDS("getrusage", "not more than the process's clock",
        usage.ru_utime.tv_sec * 1000000000LL + usage.ru_utime.tv_usec * 1000 <= now_ns(CLOCK_PROCESS_CPUTIME_ID));
  ERRNO_OF("getrusage", "of the thread", 0, getrusage(RUSAGE_THREAD, &usage));
  ERRNO_OF("getrusage", "of children", 0, getrusage(RUSAGE_CHILDREN, &usage));
  ERRNO_OF("getrusage", "of whom there is not", EINVAL, getrusage(static_cast<__rusage_who>(kNoSuchClock), &usage));
  tms used{};
  const clock_t before = times(&used);
  HOLDS("times", "processor time is not negative", used.tms_utime >= 0 && used.tms_stime >= 0);
  pause_ms(40);
  HOLDS("times", "moves with time that passes", times(&used) - before >= 3);
  HOLDS("times", "no place for the processor times", times(nullptr) >= before);
}
#pragma GCC diagnostic pop

void check_processor() {
  unsigned processor = UINT_MAX, node = UINT_MAX;
  ERRNO_OF("getcpu", "both wanted", 0, getcpu(&processor, &node));
  HOLDS("getcpu", "a processor that there is", processor < sysconf(_SC_NPROCESSORS_CONF));
  ERRNO_OF("getcpu", "none wanted", 0, getcpu(nullptr, nullptr));
  HOLDS("sched_getcpu", "a processor that there is",
        sched_getcpu() >= 0 && sched_getcpu() < sysconf(_SC_NPROCESSORS_CONF));
  HOLDS("sched_getcpu", "in another thread", elsewhere([] { return sched_getcpu(); }) >= 0);
  HOLDS("sched_getcpu", "one after the other", sched_getcpu() >= 0 && sched_getcpu() >= 0);
}

// That a buffer is filled shows in enough of it: one that stays as it was among so many is no accident.
template <typename Fill>
bool fills(Fill fill) {
  std::set<unsigned char> seen;
  unsigned char buffer[256] = {};
  fill(buffer, sizeof buffer);
  for (const unsigned char byte : buffer) seen.insert(byte);
  return seen.size() > 64;
}

void check_random() {
  char buffer[300];
  VALUE_OF("getrandom", "sixteen bytes", 16, getrandom(buffer, 16, 0));
  VALUE_OF("getrandom", "no byte", 0, getrandom(buffer, 0, 0));
  VALUE_OF("getrandom", "without waiting", 300, getrandom(buffer, sizeof buffer, GRND_NONBLOCK));
  VALUE_OF("getrandom", "from the other pool", 8, getrandom(buffer, 8, GRND_RANDOM));
  ERRNO_OF("getrandom", "no such flag", EINVAL, getrandom(buffer, 8, 0x80));
  ERRNO_OF("getrandom", "two pools at once", EINVAL, getrandom(buffer, 8, GRND_RANDOM | 0x4));
  char* volatile nowhere = nullptr;
  ERRNO_OF("getrandom", "no place for the result", EFAULT, getrandom(nowhere, 8, 0));
  HOLDS("getrandom", "fills the buffer", fills([](void* to, size_t bytes) { getrandom(to, bytes, 0); }));
  ERRNO_OF("getentropy", "as much as is allowed", 0, getentropy(buffer, 256));
  ERRNO_OF("getentropy", "more than is allowed", EIO, getentropy(buffer, 257));
  ERRNO_OF("getentropy", "no byte", 0, getentropy(buffer, 0));
  HOLDS("getentropy", "fills the buffer", fills([](void* to, size_t bytes) { return getentropy(to, bytes); }));
  std::set<uint32_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(arc4random());
  HOLDS("arc4random", "a hundred draws differ", seen.size() > 95);
  HOLDS("arc4random", "another thread draws others",
        static_cast<uint32_t>(elsewhere([] { return static_cast<int>(arc4random()); })) != arc4random());
  HOLDS("arc4random", "large ones too", *seen.rbegin() > UINT32_MAX / 2);
  HOLDS("arc4random_buf", "fills the buffer", fills(arc4random_buf));
  buffer[4] = 'x';
  arc4random_buf(buffer, 4);
  HOLDS("arc4random_buf", "no more than asked for", buffer[4] == 'x');
  arc4random_buf(buffer + 4, 0);
  HOLDS("arc4random_buf", "no byte", buffer[4] == 'x');
  VALUE_OF("arc4random_uniform", "bound 0", 0, arc4random_uniform(0));
  VALUE_OF("arc4random_uniform", "bound 1", 0, arc4random_uniform(1));
  bool below = true;
  std::set<uint32_t> all;
  for (int i = 0; i < 300; ++i) {
    const uint32_t value = arc4random_uniform(6);
    below = below && value < 6;
    all.insert(value);
  }
  HOLDS("arc4random_uniform", "below the bound", below);
  HOLDS("arc4random_uniform", "all that there are", all.size() == 6);
}

void check_random_streams() {
  FILE* file = fopen("/dev/urandom", "rb");
  HOLDS("fopen", "fills the buffer", fills([&](void* to, size_t bytes) { return fread(to, 1, bytes, file); }));
  fclose(file);
  ERRNO_OF("fopen", "no such file", ENOENT, fopen("/nowhere/at/all", "r") == nullptr ? -1 : 0);
  ERRNO_OF("fopen", "no such mode", EINVAL, fopen("/dev/random", "?") == nullptr ? -1 : 0);
  const char* volatile nowhere = reinterpret_cast<const char*>(16);
  ERRNO_OF("fopen", "a path that can't be read", EFAULT, fopen(nowhere, "r") == nullptr ? -1 : 0);
  file = fopen64("/dev/random", "rb");
  HOLDS("fopen64", "fills the buffer", fills([&](void* to, size_t bytes) { return fread(to, 1, bytes, file); }));
  fclose(file);
  ERRNO_OF("fopen64", "no such file", ENOENT, fopen64("/nowhere/at/all", "r") == nullptr ? -1 : 0);
  ERRNO_OF("fopen64", "a path that can't be read", EFAULT, fopen64(nowhere, "r") == nullptr ? -1 : 0);
}

void check_random_device() {
  std::random_device device;
  std::set<unsigned> seen;
  for (int i = 0; i < 100; ++i) seen.insert(device());
  HOLDS("_ZNSt13random_device9_M_getvalEv", "a hundred draws differ", seen.size() > 95);
  std::random_device file("/dev/urandom");
  HOLDS("_ZNSt13random_device9_M_getvalEv", "from a file", file() != file() || file() != file());
  std::random_device other;
  HOLDS("_ZNSt13random_device9_M_getvalEv", "two devices", other() != device() || other() != device());
}

}  // namespace

int main() {
  begin_checks();
  check_processor_clocks();
  check_setting();
  check_adjusting();
  check_usage();
  check_processor();
  check_random();
  check_random_streams();
  check_random_device();
  return end_checks();
}
