# Python's threads, queues, events and timers, as CPython ships them.
import queue
import threading

work, done = queue.Queue(maxsize=2), queue.Queue()
ready = threading.Event()


def worker():
    ready.wait()
    while (item := work.get()) is not None:
        done.put(item * item)
        work.task_done()
    done.put(None)
    work.task_done()


threads = [threading.Thread(target=worker) for _ in range(2)]
for thread in threads:
    thread.start()
ready.set()
for number in range(5):
    work.put(number)
for _ in threads:
    work.put(None)
work.join()
for thread in threads:
    thread.join(timeout=60)
late = threading.Timer(0.01, done.put, ["late"])
late.start()
late.join()
results = [done.get() for _ in range(8)]
print(sorted(result for result in results if isinstance(result, int)), results.count(None), results[-1])
