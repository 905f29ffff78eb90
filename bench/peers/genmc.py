# Times of `--memory=rc11 --search=dpor` beside those of GenMC, on the same source files. Each program is run three
# times by both, in turn. Printed are the executions of each, which must be equal, and the median of the processor time
# in seconds, all that is compiled or started included.
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 3
RELAXED, SEQUENTIAL = "memory_order_relaxed", "memory_order_seq_cst"


def load(variable, order):
    return f"(void)atomic_load_explicit(&{variable}, {order});"


def store(variable, value, order):
    return f"atomic_store_explicit(&{variable}, {value}, {order});"


def last_zero(count):
    """One thread looks for the last element that is 0; the others write each the value before theirs, and 1."""
    writers = [f"atomic_store_explicit(&a[{i}], atomic_load_explicit(&a[{i - 1}], memory_order_acquire) + 1, "
               "memory_order_release);" for i in range(1, count + 1)]
    reader = f"for (int i = {count}; i > 0 && atomic_load_explicit(&a[i], memory_order_acquire) != 0; --i) {{}}"
    return f"static atomic_long a[{count + 1}];", [reader, *writers]


# By name: the variables, and what each thread does.
PROGRAMS = {
    "adds(8)": ("static atomic_long x;", [f"atomic_fetch_add_explicit(&x, 1, {RELAXED});"] * 8),
    "readers(15)": ("static atomic_long x;", [store("x", 1, RELAXED)] + [load("x", RELAXED)] * 15),
    "lastzero(10)": last_zero(10),
    "stores(4)": ("static atomic_long x, y;",
                  [store("x", i, RELAXED) + store("y", i, RELAXED) + load("x", RELAXED) for i in range(1, 5)]),
    "dekker(4)": ("static atomic_long a[4];",
                  [store(f"a[{i}]", 1, SEQUENTIAL) + f"for (int i = 0; i < 4; ++i) {load('a[i]', SEQUENTIAL)}"
                   for i in range(4)]),
}


def source_of(variables, threads):
    text = "#include <pthread.h>\n#include <stdatomic.h>\n" + variables + "\n"
    for i, body in enumerate(threads):
        text += f"static void* thread_{i}(void* unused) {{\n  {body}\n  return unused;\n}}\n"
    text += f"int main(void) {{\n  pthread_t ids[{len(threads)}];\n"
    text += "".join(f"  pthread_create(&ids[{i}], 0, thread_{i}, 0);\n" for i in range(len(threads)))
    return text + f"  for (int i = 0; i < {len(threads)}; ++i) pthread_join(ids[i], 0);\n  return 0;\n}}\n"


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python3 bench/peers/genmc.py GENMC [BUILD]   (the program; the build folder, default build)")
    genmc, build = sys.argv[1], os.path.abspath(sys.argv[2] if len(sys.argv) == 3 else "build")
    print(f"{'program':14} {'executions':>10} {'GenMC':>8} {'Heddle':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, program in PROGRAMS.items():
            source, binary, report = (os.path.join(folder, end) for end in ("program.c", "program", "report.json"))
            with open(source, "w", encoding="ascii") as file:
                file.write(source_of(*program))
            subprocess.run([os.path.join(build, "heddle-cc"), "-O1", "-pthread", "-o", binary, source], check=True)
            theirs, ours, counts = [], [], set()
            for _ in range(ROUNDS):
                output, seconds = processor_time([genmc, "--rc11", "--disable-race-detection", "--", source])
                theirs.append(seconds)
                counts.add(int(output.split("executions explored:")[1].split()[0]))
                ours.append(processor_time([os.path.join(build, "heddle"), "run", "-q", "-j1", "--memory=rc11",
                                            "--search=dpor", "-o", os.path.join(folder, "bugs"), f"--json={report}",
                                            "--", binary])[1])
                with open(report, encoding="utf-8") as file:
                    counts.add(json.load(file)["schedules"])
            print(f"{name:14} {'/'.join(map(str, sorted(counts))):>10} {statistics.median(theirs):8.2f} "
                  f"{statistics.median(ours):8.2f}", flush=True)


if __name__ == "__main__":
    main()
