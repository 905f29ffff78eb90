// A service is freed when its thread has ended. The memory is given out again, and has a mutex at the same place.
// heddle: run
// expect: clean complete
// twin: service_freed.cpp
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
  for (int i = 0; i < 2; ++i) {
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
    worker.join();
    delete service;
  }
}
