// A small client of Poco's NotificationQueue that hangs once in a blue moon. The worker waits for notifications until a
// stop flag is set; main sets the flag and wakes everyone who waits. A worker that has looked at the flag and is not
// waiting yet misses the wake-up, and waits for ever. Try: heddle run ./poco_notification_queue
#include <Poco/AutoPtr.h>
#include <Poco/Notification.h>
#include <Poco/NotificationQueue.h>

#include <atomic>
#include <thread>

int main() {
  Poco::NotificationQueue queue;
  std::atomic<bool> stop{false};
  std::atomic<int> handled{0};
  std::thread worker([&] {
    while (!stop) {
      const Poco::AutoPtr<Poco::Notification> notification(queue.waitDequeueNotification());
      if (!notification.isNull()) ++handled;
    }
  });
  queue.enqueueNotification(new Poco::Notification);
  stop = true;
  queue.wakeUpAll();
  worker.join();
  return 0;
}
