# The page for a browser: one file that needs nothing else, and what its script does.
import html.parser
import os
import re
import shutil
import unittest

import harness
from harness import BUG, OK

VOID = {"meta", "br", "hr", "img", "input", "link"}
# Many steps, then a crossed lock.
PROGRAM = """
#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER, third =
  PTHREAD_MUTEX_INITIALIZER;
static void* run(void* unused) {
  for (int i = 0; i < TIMES; ++i) {
    pthread_mutex_lock(&third);
    pthread_mutex_unlock(&third);
  }
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  pthread_join(thread, 0);
  return 0;
}
"""
# Presses keys and clicks, as a reader would, and leaves in the title what came of it.
VISIT = """<script>
const key = name => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, cancelable: true}));
const seen = [];
key("j"); seen.push(rows.indexOf(document.querySelector("tr.chosen")));
key("j"); key("k"); seen.push(rows.indexOf(document.querySelector("tr.chosen")));
key("p"); seen.push(document.querySelector("tr.chosen").className.includes("preempted"));
document.querySelector('button[data-name="second"]').click();
seen.push(rows.filter(row => !row.classList.contains("aside")).every(row => row.textContent.includes("second")));
seen.push(rows.some(row => row.classList.contains("aside")));
key("Escape"); seen.push(rows.some(row => row.classList.contains("aside")));
document.querySelector('thead button[data-name="main"]').click();
seen.push(rows.filter(row => !row.classList.contains("aside")).some(row => row.textContent.includes("locks first")));
key("Escape"); key("c"); seen.push(document.body.classList.contains("no-code"));
document.title = JSON.stringify(seen);
</script>"""

# With --memory=rc11 the reader misses the second store of data, and reads the first one or what was there before.
OLD_VALUE = """
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
static atomic_int data, flag;
static void* write(void* unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&data, 2, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write, 0);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
    if (atomic_load_explicit(&data, memory_order_relaxed) == OLD) abort();
  pthread_join(thread, 0);
  return 0;
}
"""
# Leaves in the title between which rows the arrows go, and what is left of them when one of these rows is set aside.
LOOK_AT_ARROWS = """<script>
const inside = (row, y) => y > row.getBoundingClientRect().top && y < row.getBoundingClientRect().bottom;
const ends = [...document.querySelectorAll("svg.reads path:not(.head)")].map(path =>
  [0, path.getTotalLength()].map(at => {
    const end = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
    return rows.filter(row => inside(row, end.y)).map(row => row.id).join();
  }));
show("thread 1");
const behind = document.querySelectorAll("svg.reads path").length;
document.title = JSON.stringify([ends, behind]);
</script>"""


# What is shown of a step, in two files.
BOX = """
#pragma once
#include <stdatomic.h>
enum state { kIdle, kRunning, kStopped };
struct box { int* content; enum state state; };
static struct box box;
static _Atomic enum state seen;
static inline void fill(int* with) {
  box.content = with;
  box.state = kStopped;
  atomic_store(&seen, kRunning);
}
"""
FILLS = """
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include "box.h"
static int number;
static void* run(void* unused) {
  fill(&number);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  assert(atomic_load(&seen) == kIdle || box.state != kStopped);
  pthread_join(thread, 0);
  return 0;
}
"""
VISIT_STEP = """<script>
const panel_ = () => document.querySelector("#at-step");
const seen = [panel_().hidden];
const row = rows.find(one => one.textContent.includes("stores to seen"));
row.click();
seen.push(panel_().hidden, panel_().querySelector("h3").textContent.replace(/[0-9]+/, "N"));
seen.push([...panel_().querySelectorAll("li")].map(one => one.textContent.replace(/:[0-9]+/, "")));
seen.push(panel_().querySelector("pre .here").textContent.trim().replace(/^[0-9]+ +/, ""));
panel_().querySelectorAll("li")[1].click();
seen.push(panel_().querySelector("pre .here").textContent.trim().replace(/^[0-9]+ +/, ""));
seen.push([...panel_().querySelectorAll("dl *")].map(one => one.textContent).join(" ").includes("seen kRunning"));
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", cancelable: true}));
seen.push(panel_().hidden);
document.title = JSON.stringify(seen);
</script>"""


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.unbalanced, self.ids, self.targets = [], [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [value for name, value in values.items() if name in ("href", "src")]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


class HtmlPage(harness.TestCase):
    def page(self, times):
        source, program = self.scratch.path("locks.c"), self.scratch.path("locks")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("TIMES", str(times)))
        harness.run(["gcc", "-g", "-O1", "-pthread", source, "-o", program], self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle("-j1", program)
        self.assertEqual(result.status, BUG, result.text)
        path = self.scratch.path(report["bugs"][0]["trace"].replace(".trace", ".html"))
        result.require_says(report["bugs"][0]["trace"].replace(".trace", ".html"))
        with open(path, encoding="utf-8") as file:
            return path, file.read()

    def test_it_stands_alone(self):
        _, page = self.page(3)
        reader = Reader()
        reader.feed(page)
        self.assertEqual((reader.open, reader.unbalanced), ([], []))
        self.assertEqual(len(reader.ids), len(set(reader.ids)))
        self.assertEqual([target for target in reader.targets if not target.startswith("#")], [])
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"https?://|url\(|@import")
        self.assertRegex(page, r'<tr class="preempted costs">')
        *_, last = re.findall(r'<tr class="step".*?</tr>', page, re.S)  # run locks second, and main has first
        self.assertEqual(re.findall(r'<td class="(.*?)" title="(.*?)">', last),
                         [("holds", "holds first"), ("holds", "holds second")])
        *_, end = re.findall(r'<tr class="end".*?</tr>', page, re.S)
        self.assertEqual(re.findall(r'<td class="(.*?)" title="(.*?)">', end),
                         [("holds stands", "holds first; waits"), ("holds stands", "holds second; waits")])
        picture, = re.findall(r"<svg.*?</svg>", page, re.S)
        for name in ("main", "run", "first", "second"):
            self.assertEqual(picture.count(f">{name}</text>"), 1, picture)

    def test_show_writes_the_same(self):
        _, page = self.page(3)
        shown = self.scratch.heddle("show", "--format=html")
        self.assertEqual(shown.status, OK)
        body = re.compile(r"<body>.*</body>", re.S)
        self.assertEqual(body.search(shown.stdout)[0], body.search(page)[0])

    def test_two_thousand_steps_take_less_than_a_megabyte(self):
        path, page = self.page(1000)
        self.assertGreater(int(re.findall(r'id="step-(\d+)"', page)[-1]), 1000)
        self.assertLess(os.path.getsize(path), 1_000_000)

    def page_of_old_value(self, old):
        source, program = self.scratch.path(f"old_{old}.c"), self.scratch.path(f"old_{old}")
        with open(source, "w", encoding="utf-8") as file:
            file.write(OLD_VALUE.replace("OLD", str(old)))
        harness.run([harness.program("heddle-cc"), "-g", "-O1", "-pthread", source, "-o", program],
                    self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle("-j1", "--memory=rc11", program)
        result.require_status(BUG)
        with open(self.scratch.path(report["bugs"][0]["trace"].replace(".trace", ".html")), encoding="utf-8") as file:
            return file.read()

    def test_old_value(self):
        """The load says which store it read and which one it missed, and the missed one says so, too."""
        page = self.page_of_old_value(1)
        load, store = re.search(r'<tr class="step[^"]*" id="(step-\d+)" data-reads="(step-\d+)">', page).groups()
        missed, = re.findall(r'<tr class="step[^"]* missed" id="(step-\d+)">', page)
        rows = dict(re.findall(r'<tr class="step[^"]*" id="(step-\d+)"(.*?)</tr>', page, re.S))
        link = '<a class="number" href="#{0}">{1}</a>'
        words = [link.format(step, step.replace("-", " ")) for step in (load, store, missed)]
        self.assertIn(f"reads an old value that {words[1]} stored; misses the store of {words[2]}", rows[load])
        self.assertIn(f"missed by {words[0]}", rows[missed])
        self.assertIn("atomic_store_explicit(&amp;data, 1,", rows[store])
        self.assertIn("atomic_store_explicit(&amp;data, 2,", rows[missed])
        self.assertEqual(self.visited(page, LOOK_AT_ARROWS), f'[[["{store}","{load}"]],0]')

    def test_old_value_of_no_store(self):
        """What was there first has no row: it is named, and no arrow is drawn."""
        page = self.page_of_old_value(0)
        self.assertIn("reads an old value, the first one; misses the store of ", page)
        self.assertNotIn("data-reads=", page)
        self.assertEqual(self.visited(page, LOOK_AT_ARROWS), "[[],0]")

    def visited(self, page, visit):
        browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if browser is None:
            raise unittest.SkipTest("no Chromium is installed")
        path = self.scratch.path("visited.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("</body>", visit + "</body>"))
        shown = harness.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                             f"--user-data-dir={self.scratch.path('browser')}", "file://" + os.path.abspath(path)],
                            self.scratch.folder)
        title = re.search("<title>(.*?)</title>", shown.stdout, re.S)
        self.assertIsNotNone(title, shown.text[-2000:])
        return title[1]

    def test_keys_and_clicks(self):
        _, page = self.page(3)
        self.assertEqual(self.visited(page, VISIT), "[0,0,true,true,true,false,true,true]")

    def filled_box(self):
        for name, text in (("box.h", BOX), ("fills.c", FILLS)):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        program = self.scratch.path("fills")
        harness.run([harness.program("heddle-cc"), "-g", "-O0", "-pthread", self.scratch.path("fills.c"), "-o",
                     program], self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle("-j1", "--races=ignore", program)
        result.require_status(BUG)
        return report["bugs"][0]

    def test_a_click_on_a_step_shows_calls_source_and_values(self):
        bug = self.filled_box()
        with open(self.scratch.path(bug["trace"].replace(".trace", ".html")), encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(html.unescape(self.visited(page, VISIT_STEP)),
                         '[true,false,"step N: run stores to seen: kRunning",["fill (box.h)","run (fills.c)"],'
                         '"atomic_store(&seen, kRunning);","fill(&number);",true,true]')


if __name__ == "__main__":
    harness.main()
