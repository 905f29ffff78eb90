// Numbers of /dev/urandom that are read before there is a thread decide how often each locks. Called with "stream" it
// reads them through a FILE, whose reads nobody sees there: these are as they come (tests/e2e/input_test.py).
// heddle: run
// expect: clean bound 1
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>

static std::mutex lock;
static unsigned char seeds[4];

static void through_stream() {
  FILE* const file = fopen("/dev/urandom", "rb");
  assert(file != nullptr);
  const size_t read = fread(seeds, 1, sizeof seeds, file);
  assert(read == sizeof seeds);
  fclose(file);
}

static void through_calls() {
  const int file = open("/dev/urandom", O_RDONLY);
  iovec part{seeds + 1, 1};
  const bool read_both = read(file, seeds, 1) == 1 && readv(file, &part, 1) == 1;
  assert(read_both);
  void* volatile nowhere = nullptr;
  assert(read(file, nowhere, 1) == -1);
  close(file);
  std::ifstream stream("/dev/random", std::ios::binary);
  stream.read(reinterpret_cast<char*>(seeds + 2), 2);
  assert(stream.gcount() == 2);
}

static void steps() {
  for (const unsigned char seed : seeds)
    for (unsigned i = 0; i < seed % 4U; ++i) std::lock_guard guard(lock);
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "stream") == 0)
    through_stream();
  else
    through_calls();
  std::thread thread(steps);
  steps();
  thread.join();
}
