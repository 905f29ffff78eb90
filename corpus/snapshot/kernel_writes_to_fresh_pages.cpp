// Calls that write into the program's memory, each into pages that nothing has written to before: once in the midst of
// two pages, and once at the very end of one. They answer as elsewhere, and write nothing beside their buffer.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr size_t kPage = 4096;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int file = -1, pair[2];
timer_t timer;

struct Call {
  const char* name;
  size_t bytes;
  bool (*answers)(void* buffer);
};

long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0) { return syscall(number, a, b, c, d); }
long at(void* buffer) { return reinterpret_cast<long>(buffer); }
template <typename T>
T* as(void* buffer) {
  return static_cast<T*>(buffer);
}

const Call kTimes[] = {
    {"getrusage", sizeof(rusage), [](void* to) { return getrusage(RUSAGE_SELF, as<rusage>(to)) == 0; }},
    {"getrusage of the thread", sizeof(rusage), [](void* to) { return getrusage(RUSAGE_THREAD, as<rusage>(to)) == 0; }},
    {"getrusage of children", sizeof(rusage), [](void* to) { return getrusage(RUSAGE_CHILDREN, as<rusage>(to)) == 0; }},
    {"raw getrusage", sizeof(rusage), [](void* to) { return raw(SYS_getrusage, RUSAGE_SELF, at(to)) == 0; }},
    {"times", sizeof(tms), [](void* to) { return times(as<tms>(to)) != -1; }},
    {"raw times", sizeof(tms), [](void* to) { return raw(SYS_times, at(to)) != -1; }},
    {"clock_gettime", sizeof(timespec), [](void* to) { return clock_gettime(CLOCK_MONOTONIC, as<timespec>(to)) == 0; }},
    {"raw clock_gettime", sizeof(timespec), [](void* to) { return raw(SYS_clock_gettime, 1, at(to)) == 0; }},
    {"clock_getres", sizeof(timespec), [](void* to) { return clock_getres(CLOCK_REALTIME, as<timespec>(to)) == 0; }},
    {"raw clock_getres", sizeof(timespec), [](void* to) { return raw(SYS_clock_getres, 0, at(to)) == 0; }},
    {"time", sizeof(time_t), [](void* to) { return time(as<time_t>(to)) > 0; }},
    {"gettimeofday", sizeof(timeval), [](void* to) { return gettimeofday(as<timeval>(to), nullptr) == 0; }},
    {"the zone", sizeof(struct timezone), [](void* to) { return raw(SYS_gettimeofday, 0, at(to)) == 0; }},
    {"getitimer", sizeof(itimerval), [](void* to) { return getitimer(ITIMER_REAL, as<itimerval>(to)) == 0; }},
    {"raw getitimer", sizeof(itimerval), [](void* to) { return raw(SYS_getitimer, ITIMER_PROF, at(to)) == 0; }},
    {"timer_gettime", sizeof(itimerspec), [](void* to) { return timer_gettime(timer, as<itimerspec>(to)) == 0; }},
    {"adjtimex", sizeof(timex), [](void* to) { return adjtimex(as<timex>(to)) >= 0; }},
    {"clock_adjtime", sizeof(timex), [](void* to) { return clock_adjtime(CLOCK_REALTIME, as<timex>(to)) >= 0; }},
    {"ntp_gettimex", sizeof(ntptimeval), [](void* to) { return ntp_gettimex(as<ntptimeval>(to)) >= 0; }},
    {"timespec_get", sizeof(timespec), [](void* to) { return timespec_get(as<timespec>(to), TIME_UTC) == TIME_UTC; }},
    {"pthread_getcpuclockid", 4, [](void* to) { return pthread_getcpuclockid(pthread_self(), as<int>(to)) == 0; }},
};

const Call kScheduling[] = {
    {"sched_getparam", 4, [](void* to) { return sched_getparam(0, as<sched_param>(to)) == 0; }},
    {"raw sched_getparam", 4, [](void* to) { return raw(SYS_sched_getparam, 0, at(to)) == 0; }},
    {"sched_getattr", 48, [](void* to) { return raw(SYS_sched_getattr, 0, at(to), 48) == 0; }},
    {"the interval", sizeof(timespec), [](void* to) { return sched_rr_get_interval(0, as<timespec>(to)) == 0; }},
    {"sched_getaffinity", 128, [](void* to) { return sched_getaffinity(0, 128, as<cpu_set_t>(to)) == 0; }},
    {"raw sched_getaffinity", 128, [](void* to) { return raw(SYS_sched_getaffinity, 0, 128, at(to)) > 0; }},
    {"pthread_getaffinity_np", 128,
     [](void* to) { return pthread_getaffinity_np(pthread_self(), 128, as<cpu_set_t>(to)) == 0; }},
    {"policy", 4,
     [](void* to) {
       sched_param own;
       return pthread_getschedparam(pthread_self(), as<int>(to), &own) == 0;
     }},
    {"parameter", 4,
     [](void* to) {
       int policy;
       return pthread_getschedparam(pthread_self(), &policy, as<sched_param>(to)) == 0;
     }},
    {"getcpu", 4, [](void* to) { return getcpu(as<unsigned>(to), nullptr) == 0; }},
    {"the node", 4, [](void* to) { return raw(SYS_getcpu, 0, at(to)) == 0; }},
    {"pthread_getname_np", 16, [](void* to) { return pthread_getname_np(pthread_self(), as<char>(to), 16) == 0; }},
    {"PR_GET_NAME", 16, [](void* to) { return prctl(PR_GET_NAME, to) == 0; }},
    {"raw PR_GET_NAME", 16, [](void* to) { return raw(SYS_prctl, PR_GET_NAME, at(to)) == 0; }},
    {"PR_GET_PDEATHSIG", 4, [](void* to) { return prctl(PR_GET_PDEATHSIG, to) == 0; }},
    {"raw PR_GET_PDEATHSIG", 4, [](void* to) { return raw(SYS_prctl, PR_GET_PDEATHSIG, at(to)) == 0; }},
};

sigset_t usr1() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

// With the signal blocked, and on its way.
template <typename Wait>
bool with_signal(Wait wait) {
  const sigset_t set = usr1();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(SIGUSR1);
  const bool came = wait(set);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  return came;
}

const Call kSignals[] = {
    {"sigaltstack", sizeof(stack_t), [](void* to) { return sigaltstack(nullptr, as<stack_t>(to)) == 0; }},
    {"raw sigaltstack", sizeof(stack_t), [](void* to) { return raw(SYS_sigaltstack, 0, at(to)) == 0; }},
    {"pthread_sigmask", 128, [](void* to) { return pthread_sigmask(SIG_BLOCK, nullptr, as<sigset_t>(to)) == 0; }},
    {"raw rt_sigprocmask", 8, [](void* to) { return raw(SYS_rt_sigprocmask, 0, 0, at(to), 8) == 0; }},
    {"sigpending", 128, [](void* to) { return sigpending(as<sigset_t>(to)) == 0; }},
    {"raw rt_sigpending", 8, [](void* to) { return raw(SYS_rt_sigpending, at(to), 8) == 0; }},
    {"sigaction", sizeof(struct sigaction),
     [](void* to) { return sigaction(SIGUSR2, nullptr, as<struct sigaction>(to)) == 0; }},
    {"raw rt_sigaction", 32, [](void* to) { return raw(SYS_rt_sigaction, SIGUSR2, 0, at(to), 8) == 0; }},
    {"raw rt_sigaction of a fault", 32, [](void* to) { return raw(SYS_rt_sigaction, SIGSEGV, 0, at(to), 8) == 0; }},
    {"sigwaitinfo", sizeof(siginfo_t),
     [](void* to) {
       return with_signal([to](const sigset_t& set) { return sigwaitinfo(&set, as<siginfo_t>(to)) == SIGUSR1; });
     }},
    {"sigwait", 4,
     [](void* to) { return with_signal([to](const sigset_t& set) { return sigwait(&set, as<int>(to)) == 0; }); }},
};

const Call kProcess[] = {
    {"uname", sizeof(utsname), [](void* to) { return uname(as<utsname>(to)) == 0; }},
    {"sysinfo", sizeof(struct sysinfo), [](void* to) { return sysinfo(as<struct sysinfo>(to)) == 0; }},
    {"getrlimit", sizeof(rlimit), [](void* to) { return getrlimit(RLIMIT_NOFILE, as<rlimit>(to)) == 0; }},
    {"raw getrlimit", sizeof(rlimit), [](void* to) { return raw(SYS_getrlimit, RLIMIT_NOFILE, at(to)) == 0; }},
    {"prlimit", sizeof(rlimit), [](void* to) { return prlimit(0, RLIMIT_CORE, nullptr, as<rlimit>(to)) == 0; }},
    {"getresuid", 12, [](void* to) { return getresuid(as<uid_t>(to), as<uid_t>(to) + 1, as<uid_t>(to) + 2) == 0; }},
    {"getresgid", 12, [](void* to) { return getresgid(as<gid_t>(to), as<gid_t>(to) + 1, as<gid_t>(to) + 2) == 0; }},
    {"getgroups", 65536 * sizeof(gid_t), [](void* to) { return getgroups(65536, as<gid_t>(to)) >= 0; }},
    {"get_robust_list", 8,
     [](void* to) {
       size_t size;
       return raw(SYS_get_robust_list, 0, at(to), at(&size)) == 0;
     }},
    {"getrandom", 5000, [](void* to) { return raw(SYS_getrandom, at(to), 5000) == 5000; }},
    {"getloadavg", 3 * sizeof(double), [](void* to) { return getloadavg(as<double>(to), 3) >= -1; }},
    {"gethostname", 100, [](void* to) { return gethostname(as<char>(to), 100) == 0; }},
};

const Call kFiles[] = {
    {"stat", sizeof(struct stat), [](void* to) { return stat("/", as<struct stat>(to)) == 0; }},
    {"raw stat", sizeof(struct stat), [](void* to) { return raw(SYS_stat, at(const_cast<char*>("/")), at(to)) == 0; }},
    {"fstat", sizeof(struct stat), [](void* to) { return fstat(file, as<struct stat>(to)) == 0; }},
    {"lstat", sizeof(struct stat), [](void* to) { return lstat("/", as<struct stat>(to)) == 0; }},
    {"statx", 256, [](void* to) { return statx(AT_FDCWD, "/", 0, STATX_ALL, as<struct statx>(to)) == 0; }},
    {"statfs", sizeof(struct statfs), [](void* to) { return statfs("/", as<struct statfs>(to)) == 0; }},
    {"fstatfs", sizeof(struct statfs), [](void* to) { return fstatfs(file, as<struct statfs>(to)) == 0; }},
    {"getcwd", 5000, [](void* to) { return getcwd(as<char>(to), 5000) != nullptr; }},
    {"readlink", 5000, [](void* to) { return readlink("/proc/self/exe", as<char>(to), 5000) > 0; }},
    {"readlinkat", 5000, [](void* to) { return readlinkat(AT_FDCWD, "/proc/self/exe", as<char>(to), 5000) > 0; }},
    {"pread", 5000, [](void* to) { return pread(file, to, 5000, 0) == 5000; }},
    {"FIONREAD", 4, [](void* to) { return ioctl(pair[0], FIONREAD, to) == 0; }},
    {"mincore", 8192,
     [](void* to) {
       constexpr size_t kBytes = 8192 * kPage;
       void* const wide = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
       return mincore(wide, kBytes, as<unsigned char>(to)) == 0 && munmap(wide, kBytes) == 0;
     }},
    {"getsockname", 128,
     [](void* to) {
       socklen_t size = 128;
       return getsockname(pair[0], as<sockaddr>(to), &size) == 0;
     }},
    {"the size of a name", 4,
     [](void* to) {
       sockaddr_storage name;
       return raw(SYS_getpeername, pair[0], at(&name), at(to)) == 0;
     }},
    {"getsockopt", 4,
     [](void* to) {
       socklen_t size = 4;
       return getsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, to, &size) == 0;
     }},
};

void check(const Call& call, char* buffer) {
  const bool answered = call.answers(buffer);
  const bool apart = buffer[-1] == 0 && buffer[call.bytes] == 0;
  if (answered && apart) return;
  fprintf(stderr, "%s: %s\n", call.name, answered ? "wrote beside its buffer" : "failed");
  abort();
}

template <auto& calls>
void check_all() {
  constexpr size_t count = sizeof calls / sizeof *calls;
  static char room[count][2][73 * kPage] __attribute__((aligned(kPage)));
  for (size_t i = 0; i < count; ++i) {
    const size_t inside = (calls[i].bytes + 8) / 16 * 8;  // of the first page, as far as alignment lets it
    const size_t whole = (calls[i].bytes + kPage - 1) / kPage * kPage;
    check(calls[i], room[i][0] + kPage - inside);
    check(calls[i], room[i][1] + kPage + whole - calls[i].bytes);
  }
}

void point() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

void* work(void* unused) {
  point();
  check_all<kTimes>();
  check_all<kScheduling>();
  check_all<kSignals>();
  check_all<kProcess>();
  check_all<kFiles>();
  point();
  return unused;
}

}  // namespace

int main() {
  file = open("/dev/zero", O_RDONLY);
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  if (file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  if (timer_create(CLOCK_MONOTONIC, &silent, &timer) != 0) return 1;
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, work, nullptr);
  pthread_create(
      &threads[1], nullptr, [](void* unused) { return point(), unused; }, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
