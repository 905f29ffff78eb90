// A service says that it is done, and then takes its lock once more: its owner may have freed it meanwhile.
// heddle: run
// expect: bug misuse at bound 1
// says: use after free
// twin: service_joined.cpp
#include <semaphore.h>

#include <mutex>
#include <thread>

struct Service {
  long requests[4] = {};
  std::mutex mutex;
};

int main() {
  sem_t done;
  sem_init(&done, 0, 0);
  auto* const service = new Service;
  std::thread worker([&done, service] {
    service->mutex.lock();
    service->requests[0] = 1;
    service->mutex.unlock();
    sem_post(&done);
    service->mutex.lock();
    service->mutex.unlock();
  });
  sem_wait(&done);
  delete service;
  worker.join();
}
