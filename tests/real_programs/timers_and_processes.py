# Threads that run programs, an interval timer, a signal to the process itself, and a timer thread.
import os
import queue
import signal
import subprocess
import threading
import time

handled = []
results = queue.Queue()


def run(number):
    results.put(subprocess.run(["/bin/echo", str(number)], capture_output=True, text=True, check=True).stdout.strip())


signal.signal(signal.SIGALRM, lambda *_: handled.append("alarm"))
signal.signal(signal.SIGUSR1, lambda *_: handled.append("user"))
signal.setitimer(signal.ITIMER_REAL, 0.05)
threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
threads.append(threading.Timer(0.02, results.put, ["timer"]))
for thread in threads:
    thread.start()
os.kill(os.getpid(), signal.SIGUSR1)
for thread in threads:
    thread.join()
time.sleep(0.1)
print(sorted(results.get() for _ in threads), sorted(handled))
