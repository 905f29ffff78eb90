# Processes beside a thread: a pool that maps, and a counter under a lock that processes share (a named semaphore).
import multiprocessing
import threading


def square(number):
    return number * number


def increment(counter):
    for _ in range(5):
        with counter.get_lock():
            counter.value += 1


def main():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(6)))
    counter = multiprocessing.Value("i", 0)
    workers = [multiprocessing.Process(target=increment, args=(counter,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(counter.value)


if __name__ == "__main__":
    main()
