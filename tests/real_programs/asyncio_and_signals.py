# An event loop with an echo server, clients in a pool of threads, a signal handler, a timer and a child process.
import asyncio
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


def ask(port, number):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        stream = connection.makefile("rw")
        stream.write(f"hello {number}\n")
        stream.flush()
        return stream.readline().strip()


async def main():
    loop = asyncio.get_running_loop()
    asked_to_end = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, asked_to_end.set)
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with ThreadPoolExecutor(3) as pool:
        answers = await asyncio.gather(*(loop.run_in_executor(pool, ask, port, number) for number in range(3)))
    loop.call_later(0.05, os.kill, os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(asked_to_end.wait(), 5)
    child = await asyncio.create_subprocess_exec("/bin/sh", "-c", "echo child; exit 3", stdout=asyncio.subprocess.PIPE)
    output, _ = await child.communicate()
    print(sorted(answers), output.decode().strip(), child.returncode)
    server.close()


asyncio.run(main())
