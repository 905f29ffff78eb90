# The extension for gdb that `heddle debug` loads. It knows the whole schedule of a bug from the start, in a file that
# Heddle has written (src/report/debug_session.cpp). The program says before which step it stands, and stops before the
# one that it is told (src/protocol/debugger.h, whose layout is read here). To go back, it is started again.
import json
import os
import struct

import gdb

STOP = "heddle_debugger_stop"  # where the program stops; its argument is the state
HEAD = struct.Struct("<6I")
TASK = struct.Struct("<QQIIHBBI")
NEVER = 0xffffffff
NO_TASK = 0xffff
ENABLED, ENDED = 1, 16  # of TaskState
FATAL = "SIGSYS SIGSEGV SIGABRT SIGBUS SIGFPE SIGILL"


class Task:
    """What a thread is about to do before the present step."""

    def __init__(self, number, raw):
        (self.thread_pointer, self.held_since, self.object, self.object2, self.held_by, self.operation, self.state,
         self.offset) = TASK.unpack(raw)
        self.number = number


def thread_of(thread_pointer):
    """gdb's thread of it, and leaves that selected; None: there is none."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        if thread_pointer != 0 and int(gdb.parse_and_eval("$fs_base")) & (2 ** 64 - 1) == thread_pointer:
            return thread
    return None


def is_heddle(frame):
    return os.path.basename(gdb.solib_name(frame.pc()) or "") == "libheddle.so"


def is_own_code(frame):
    """Of the program, with debug information: not of Heddle, nor of libc, nor inlined from a library's header."""
    library, source = gdb.solib_name(frame.pc()) or "", frame.find_sal().symtab
    return not is_heddle(frame) and not library.startswith(("/lib", "/usr/lib")) and is_own_source(source)


def is_own_source(source):
    return source is not None and not source.fullname().startswith(("/usr/include/", "/usr/lib/"))


def program_frame():
    """The innermost frame of the program's own code in the selected thread; else the innermost that is not Heddle's."""
    frame, first = gdb.newest_frame(), None
    while frame is not None:
        if is_own_code(frame):
            return frame
        if first is None and not is_heddle(frame):
            first = frame
        try:
            frame = frame.older()
        except gdb.error:
            break
    return first if first is not None else gdb.newest_frame()


def place_of(sal):
    return f"{os.path.basename(sal.symtab.filename)}:{sal.line}" if sal.symtab is not None else ""


class WithoutHeddle:
    """Leaves Heddle's own frames out of a backtrace (backtrace -no-filters shows them)."""
    name, priority, enabled = "heddle", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not is_heddle(frame.inferior_frame()))


class StopPoint(gdb.Breakpoint):
    """The program asks here whether it is to stop: it does so before the first step, and where it was told to."""

    def __init__(self, session):
        self.session = session
        super().__init__(STOP, internal=True)
        self.silent = True

    def stop(self):
        return self.session.reaches_stop()


class Session:
    """One schedule, and where in it the program stands."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            for name, value in json.load(file).items():
                setattr(self, name, value)
        self.breaks = []         # (number, words, does it stop before this step?)
        self.breaks_made = 0
        self.state = None        # address of DebuggerState; None: the program does not run
        self.wanted = self.decisive
        self.stands = False      # at a stop of ours; else somewhere behind the step
        self.moves = False       # a command of ours is at work, and shows where it arrives
        self.starts = False      # it starts the program again, which ends the one that runs
        self.printed = 0         # so much of what the program prints, the same each time, has been shown
        self.stop_point = None   # until the library is loaded for the first time
        gdb.events.new_objfile.connect(self.on_file)
        gdb.events.stop.connect(self.on_stop)
        gdb.events.cont.connect(self.on_go_on)
        gdb.events.exited.connect(self.on_exit)

    # The program's side.

    def on_file(self, event):
        if self.stop_point is None and os.path.basename(event.new_objfile.filename) == "libheddle.so":
            self.stop_point = StopPoint(self)

    def read(self):
        memory = gdb.selected_inferior().read_memory
        _, self.step, self.task, self.at_end, count, _ = HEAD.unpack(memory(self.state, HEAD.size))
        raw = bytes(memory(self.state + HEAD.size, count * TASK.size))
        self.now = [Task(i, raw[i * TASK.size:(i + 1) * TASK.size]) for i in range(count)]
        if self.at_end:
            self.step = len(self.steps)

    def stop_before(self, step):
        self.wanted = step
        if self.state is not None:
            gdb.selected_inferior().write_memory(self.state, struct.pack("<I", step))

    def next_break(self, behind):
        for step in range(behind + 1, len(self.steps)):
            if any(matches(step) for _, _, matches in self.breaks):
                return step
        return NEVER

    def reaches_stop(self):
        self.state = int(gdb.parse_and_eval("(unsigned long)$rdi"))
        self.read()
        if self.at_end or self.step >= self.wanted:
            return True
        self.stop_before(self.wanted)
        return False

    def on_stop(self, event):
        if self.state is None:
            return
        breakpoints = event.breakpoints if isinstance(event, gdb.BreakpointEvent) else []
        self.stands = any(one is self.stop_point for one in breakpoints)
        self.read()
        if self.stands:
            self.stop_before(self.next_break(self.step))  # for whoever goes on by gdb's own commands
            if not self.moves:
                self.show()

    def on_go_on(self, _):
        self.stands = False

    def on_exit(self, _):
        self.state = None
        self.stands = False
        if not self.starts:
            self.wanted = self.decisive  # for gdb's run

    # Going somewhere.

    def position(self):
        """The step that comes next."""
        if self.state is None:
            return len(self.steps)
        return self.step if self.stands else self.step + 1

    def move(self, command):
        self.moves = True
        try:
            gdb.execute(command, to_string=True)
        finally:
            self.moves = False

    def go_to(self, step, stop_between=False):
        """Before this step; by way of a new start, if that is behind us."""
        step = max(0, min(step, len(self.steps)))
        between = [] if stop_between else [one for one in gdb.breakpoints() if one.enabled and one.number > 0]
        for one in between:
            one.enabled = False
        try:
            if self.state is None or step < self.position() or (step == self.step and not self.stands):
                self.restart(step)
            elif step != self.step:
                self.stop_before(step)
                self.move("continue")
        finally:
            for one in between:
                one.enabled = True
        self.show()

    def restart(self, step):
        self.wanted = step
        self.starts = True
        try:
            self.move("run")
        finally:
            self.starts = False

    # Saying where we are.

    def output(self):
        try:
            with open(f"/proc/{gdb.selected_inferior().pid}/fd/1", "rb") as file:
                return file.read()
        except OSError:
            return b""

    def show_output(self):
        text = self.output()
        fresh, self.printed = text[self.printed:], max(self.printed, len(text))
        if fresh:
            gdb.write("The program has printed:\n")
            for line in fresh.decode("utf-8", "replace").splitlines():
                gdb.write("  " + "".join(c if c.isprintable() or c == "\t" else "?" for c in line) + "\n")

    def select(self):
        """The thread of the next step, at its own code."""
        if self.task < len(self.now):
            thread_of(self.now[self.task].thread_pointer)
        program_frame().select()

    def show(self):
        if self.state is None:
            gdb.write("The program does not run.\n")
            return
        if not self.stands:
            gdb.write(f"Stopped behind step {self.step}.\n")
            return
        self.show_output()
        self.select()
        if self.at_end:
            gdb.write(f"At the end, behind {len(self.steps)} steps: {self.message}\n")
        else:
            step = self.steps[self.step]
            gdb.write(f"Before step {self.step} of {len(self.steps)}: {self.tasks[step['task']]} {step['words']}"
                      f"{', at ' if step['place'] else ''}{step['place']}{self.preempted()}\n")
        if is_own_code(gdb.selected_frame()):
            gdb.execute("frame")

    def preempted(self):
        step = self.steps[self.step]
        if not step["preempts"]:
            return ""
        before = self.steps[self.step - 1]["task"] if self.step != 0 else step["task"]
        return f" (preempts {self.tasks[before]})" if before != step["task"] else " (counts as a preemption)"

    def name_of(self, task):
        return self.tasks[task] if task < len(self.tasks) else f"thread {task}"

    def object_of(self, task):
        part = f"{task.object}:{task.offset}"
        return self.objects.get(part) or self.objects.get(str(task.object)) or "something"

    def intention(self, task):
        if task.state & ENDED:
            return "has ended"
        if task.operation == 0:
            return "runs"
        to_do, alone, held = self.operations[task.operation]
        if task.state & ENABLED:
            return "is about to " + to_do.replace("{}", self.object_of(task))
        if task.held_by == NO_TASK:
            return alone.replace("{}", self.object_of(task))
        holder = "it" if task.held_by == task.number else self.name_of(task.held_by)
        words = held.replace("{holder}", holder).replace("{}", self.object_of(task))
        since = gdb.find_pc_line(task.held_since - 1) if task.held_since != 0 else None
        known = since is not None and is_own_source(since.symtab) and "{holder}" in held
        return f"{words} since {place_of(since)}" if known else words

    def threads(self):
        """A row for each: mark, gdb's number, name, place, what it does."""
        selected, frame = gdb.selected_thread(), gdb.selected_frame()
        rows = []
        for task in self.now:
            thread = thread_of(task.thread_pointer)
            frame_of_it = program_frame() if thread is not None else None
            place = place_of(frame_of_it.find_sal()) if thread is not None and is_own_code(frame_of_it) else ""
            if task.number >= len(self.tasks) or (thread is None and task.operation == 0):
                continue
            mark = "*" if task.number == self.task else " "
            rows.append((mark, str(thread.num) if thread is not None else "-", self.name_of(task.number), place,
                         self.intention(task)))
        selected.switch()
        frame.select()
        return rows


session = None


def running():
    if session is None:
        raise gdb.GdbError("this needs a session of heddle debug")
    return session


def number_in(text, default=None):
    if not text and default is not None:
        return default
    try:
        return int(text)
    except ValueError:
        raise gdb.GdbError(f'"{text}" is not a number') from None


class Command(gdb.Command):
    """Base of the commands below; the first line of each one's text is its help in the list."""

    def __init__(self, name, completer=gdb.COMPLETE_NONE, prefix=False):
        super().__init__(name, gdb.COMMAND_RUNNING, completer, prefix)

    def invoke(self, argument, _):
        self.do(running(), argument.strip())


class Heddle(Command):
    """Goes through the schedule of a bug, step by step, forward and back.
A step is one operation that takes effect: a lock, a signal, an access that matters. Signals that Heddle uses itself
pass unseen. A fault of the program stops it where it is noticed: the frame of the fault is further out on the stack.
What the program prints is shown where it stops; it reads from /dev/null."""

    def do(self, here, _):
        here.show()


class Begin(Command):
    """Begins a session: heddle begin FILE. (heddle debug does that.)"""

    def invoke(self, argument, _):
        global session
        for setting in ("breakpoint pending on", "print thread-events off", "startup-with-shell on",
                        "disable-randomization on"):
            gdb.execute("set " + setting)
        gdb.execute(f"handle {FATAL} nostop noprint pass", to_string=True)
        WithoutHeddle()
        session = Session(argument.strip())
        gdb.execute("set exec-wrapper " + session.wrapper)
        gdb.write(session.why + "\n")
        session.go_to(session.decisive)


class Threads(Command):
    """Lists the threads: where each stands, and what it is about to do or waits for. * takes the next step."""

    def do(self, here, _):
        if here.state is None:
            raise gdb.GdbError("the program does not run")
        rows = here.threads()
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            gdb.write(" ".join(text.ljust(width) for text, width in zip(row, widths)) + f"  {row[4]}\n")


class Step(Command):
    """Goes on to the next step, whichever thread takes it: heddle step [HOW-MANY]. Breakpoints stop it before that."""

    def do(self, here, argument):
        if here.state is None:
            raise gdb.GdbError("the program has ended; heddle back goes to its last step")
        if here.stands and here.at_end:
            raise gdb.GdbError("there is no further step: this is the end")
        steps = number_in(argument, 1)
        here.go_to(here.step + steps, stop_between=steps > 0)


class Back(Command):
    """Goes back to the step before: heddle back [HOW-MANY]. The program is started again and stopped there."""

    def do(self, here, argument):
        here.go_to(here.position() - number_in(argument, 1))


class Goto(Command):
    """Goes to before a step, forward or back: heddle goto NUMBER, heddle goto decisive, heddle goto end."""

    def do(self, here, argument):
        words = {"decisive": here.decisive, "end": len(here.steps)}
        step = words[argument] if argument in words else number_in(argument)
        if not 0 <= step <= len(here.steps):
            raise gdb.GdbError(f"steps go from 0 to {len(here.steps) - 1}; the end is {len(here.steps)}")
        here.go_to(step)


class Why(Command):
    """Says what went wrong, as the page of the bug does."""

    def do(self, here, _):
        gdb.write(here.why)


class Break(Command):
    """Stops before steps: heddle break step NUMBER, heddle break object NAME, heddle break preemption.
Without words it lists these breakpoints. heddle delete removes them. gdb's continue goes on to the next one."""

    def do(self, here, argument):
        kind, _, what = argument.partition(" ")
        what = what.strip()
        if not argument:
            for number, words, _ in here.breaks:
                gdb.write(f"{number}  {words}\n")
            return
        if kind == "step":
            wanted = number_in(what)
            steps = {wanted} & set(range(len(here.steps)))
        elif kind == "object" and what:
            steps = {i for i, step in enumerate(here.steps) if what in step["objects"]}
        elif kind == "preemption" and not what:
            steps = {i for i, step in enumerate(here.steps) if step["preempts"]}
        else:
            raise gdb.GdbError("write: heddle break step NUMBER, object NAME, or preemption")
        if not steps:
            names = sorted({name for step in here.steps for name in step["objects"]})
            known = f"; the objects of this schedule: {', '.join(names)}" if kind == "object" else ""
            raise gdb.GdbError(f"there is no such step{known}")
        here.breaks_made += 1
        here.breaks.append((here.breaks_made, argument, steps.__contains__))
        here.stop_before(here.next_break(here.position()))
        gdb.write(f"Breakpoint {here.breaks_made} of heddle: {argument}, {len(steps)} "
                  f"step{'s' if len(steps) != 1 else ''}\n")


class Delete(Command):
    """Removes breakpoints of heddle break: heddle delete [NUMBER]."""

    def do(self, here, argument):
        number = number_in(argument, 0)
        here.breaks = [one for one in here.breaks if number not in (0, one[0])]
        here.stop_before(here.next_break(here.position()))


Heddle("heddle", prefix=True)
for name, command in (("begin", Begin), ("threads", Threads), ("step", Step), ("back", Back), ("goto", Goto),
                      ("why", Why), ("break", Break), ("delete", Delete)):
    command("heddle " + name)
