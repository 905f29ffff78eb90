# Heddle in continuous integration: --baseline, --sarif, annotations of GitHub, the schema of the JSON reports, and the
# workflows of examples/ci.
import json
import os
import re
import sys
import xml.etree.ElementTree

import harness
import schema
from harness import BUG, NO_VERDICT, OK, OPTIONS, USAGE

# Heddle takes it for a program of GoogleTest, which would take long to compile.
SOURCE = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
const char* mark = "InitGoogleTest";
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int sum, races;
static void both(pthread_mutex_t* one, pthread_mutex_t* other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}
static int step(int amount) {
  pthread_mutex_lock(&first);
  int now = sum += amount;
  pthread_mutex_unlock(&first);
  return now;
}
static void* down(void* unused) {
  both(&second, &first);
  return unused;
}
static void* up(void* unused) {
  step(1);
  return unused;
}
static void* race(void* unused) {
  ++races;
  return unused;
}
static void crossed(void) {
  pthread_t other;
  pthread_create(&other, NULL, down, NULL);
  both(&first, &second);
  pthread_join(other, NULL);
}
static void adds(void) {
  pthread_t other;
  pthread_create(&other, NULL, up, NULL);
  int before = step(0);
  assert(step(0) == before);
  pthread_join(other, NULL);
}
static void racing(void) {
  pthread_t other;
  pthread_create(&other, NULL, race, NULL);
  race(NULL);
  pthread_join(other, NULL);
}
int main(int count, char** words) {
  const char* test = count > 1 ? words[count - 1] : "";
  if (strcmp(test, "--gtest_list_tests") == 0) return puts("Locks.\\n  Crossed\\n  Adds\\n  Races") < 0;
  if (strstr(test, "Crossed") != NULL) crossed();
  if (strstr(test, "Adds") != NULL) adds();
  if (strstr(test, "Races") != NULL) racing();
  return 0;
}
"""
LISTS = """cmake_minimum_required(VERSION 3.25)
project(worker LANGUAGES C)
find_package(Heddle REQUIRED)
find_package(Threads REQUIRED)
add_executable(worker_test worker_test.c)
target_link_libraries(worker_test PRIVATE Threads::Threads)
heddle_instrumented_copy(worker_test)
"""
ON_GITHUB = {**os.environ, "GITHUB_ACTIONS": "true"}
ON_GITHUB.pop("GITHUB_WORKSPACE", None)


class ContinuousIntegration(harness.TestCase):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.scratch.path(name)), exist_ok=True)
        with open(self.scratch.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.scratch.path(name), encoding="utf-8") as file:
            return json.load(file)

    def build(self, source=SOURCE):
        self.write("src/worker_test.c", source)
        harness.run([os.path.join(OPTIONS.build, "heddle-cc"), "-g", "-O0", "-pthread", "src/worker_test.c", "-o",
                     "worker_test"], self.scratch.folder).require_status(OK)

    def explore(self, words, *options, **more):
        return self.scratch.heddle("run", "-q", "--json=report.json", *options, "./worker_test", words, **more)

    def bug(self, report="report.json"):
        (bug,) = self.scratch.read_report(report)["bugs"]
        return bug

    def test_fields_of_a_bug(self):
        self.build()
        self.explore("Crossed").require_status(BUG)
        deadlock = self.bug()
        self.assertEqual([thread["state"] for thread in deadlock["threads"]], ["waits", "waits"])
        locks = {lock["name"]: lock for lock in deadlock["locks"]}
        self.assertEqual(set(locks), {"first", "second"})
        self.assertEqual([at["thread"] for at in locks["first"]["holders"] + locks["second"]["waiters"]], [0, 0])
        self.assertEqual(len(deadlock["stacks"]), 2)
        self.assertTrue(any(one["preemption"] and one["needed"] for one in deadlock["deviations"]), deadlock)
        self.assertTrue(all(place["file"].endswith("/src/worker_test.c") for place in deadlock["places"]))
        self.explore("Races").require_status(BUG)
        race = self.bug()
        self.assertEqual({access["place"]["function"] for access in race["accesses"]}, {"race"})
        self.assertIn("write", [access["does"] for access in race["accesses"]])
        self.assertEqual([access["locks"] for access in race["accesses"]], [[], []])
        self.check_with_jsonschema(self.read("report.json"))

    def check_with_jsonschema(self, report):
        """Debian's validator takes the schemas, this report, and finds what tests/e2e/schema.py finds."""
        sys.path.append("/usr/lib/python3/dist-packages")  # tests run without it
        try:
            import jsonschema
        except ImportError:
            print("skipped: python3-jsonschema is not installed")
            return
        schemas = schema.Schemas(os.path.join(OPTIONS.source, "share", "heddle"))
        for one in schemas.files.values():
            jsonschema.Draft202012Validator.check_schema(one)
        validator = jsonschema.Draft202012Validator(schemas.files["report.schema.json"])
        wrong = [{**report, "verdict": "good"}, {**report, "more": 1}, {**report, "seed": "1"}, {**report, "seed": -1},
                 {name: value for name, value in report.items() if name != "notes"},
                 {**report, "bugs": [{**report["bugs"][0], "places": [{"file": None, "line": 0}]}]}]
        for value in (report, *wrong):
            own = schemas.why_invalid(value, "report.schema.json")
            self.assertEqual(own is None, validator.is_valid(value), own)
            self.assertEqual(own is None, value is report, own)

    def test_sarif_and_annotations(self):
        self.build()
        for words, rule in (("Crossed", "deadlock"), ("Adds", "assertion"), ("Races", "data-race")):
            result = self.explore(words, "--sarif=bugs.sarif", env=ON_GITHUB)
            result.require_status(BUG)
            self.check_sarif(rule, self.bug())
            line = self.bug()["places"][0]["line"]
            (annotation,) = [text for text in result.stdout.splitlines() if text.startswith("::")]
            result.require(annotation.startswith(f"::error file=src/worker_test.c,line={line},title="), annotation)
            result.require("%0Aheddle show heddle-out/" in annotation, "no word on how to see it")

    def check_sarif(self, rule, bug):
        log = self.read("bugs.sarif")
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        run = log["runs"][0]
        (result,) = run["results"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual((result["ruleId"], rules[result["ruleIndex"]]["id"]), (rule, rule))
        self.assertEqual(result["level"], "error")
        self.assertEqual(result["partialFingerprints"], {"heddle/key": bug["key"]})
        self.assertNotIn("baselineState", result)
        where = result["locations"][0]["physicalLocation"]
        self.assertEqual(where["artifactLocation"], {"uri": "src/worker_test.c", "uriBaseId": "SRCROOT"})
        self.assertEqual(where["region"]["startLine"], bug["places"][0]["line"])
        self.assertEqual(run["originalUriBaseIds"]["SRCROOT"]["uri"], f"file://{self.scratch.folder}/")
        (flow,) = result["codeFlows"]
        self.assertEqual(len(flow["threadFlows"]), 2)
        steps = [step for thread in flow["threadFlows"] for step in thread["locations"]]
        self.assertEqual(sorted(step["executionOrder"] for step in steps), list(range(1, len(steps) + 1)))
        self.assertTrue(any(step["importance"] == "essential" for step in steps))
        self.assertTrue(all("physicalLocation" in step["location"] for step in steps))
        self.assertEqual(bool(result.get("relatedLocations")), rule != "assertion")
        self.assertTrue(result["stacks"][0]["frames"])

    def test_baseline(self):
        self.build()
        self.explore("Crossed", "--json=known.json").require_status(BUG)
        key = self.bug("known.json")["key"]
        self.build("// One line more.\n\n" + SOURCE.replace("static void* down", "\nstatic void* down"))
        result = self.explore("Crossed", "--baseline=known.json", "--sarif=bugs.sarif", env=ON_GITHUB)
        result.require_status(OK)
        result.require_says("known: in known.json", "no new bug found, 1 known", "Proved: every schedule", "::warning ")
        self.assertEqual((self.bug()["key"], self.bug()["known"]), (key, True))
        known = self.read("bugs.sarif")["runs"][0]["results"][0]
        self.assertEqual((known["level"], known["baselineState"]), ("warning", "unchanged"))
        self.check_new_beside_known(key)
        self.check_wrong_files()

    def check_new_beside_known(self, key):
        """The known one comes first, and does not hide the other one."""
        self.explore("Adds", "--json=adds.json").require_status(BUG)
        result = self.explore("CrossedAdds", "--baseline=adds.json", "--search=bounded")
        result.require_status(BUG)
        result.require_says("2 bugs found, 1 of them known")
        bugs = self.scratch.read_report("report.json")["bugs"]
        self.assertEqual([(bug["kind"], bug["known"]) for bug in bugs], [("assertion", True), ("deadlock", False)])
        self.assertEqual(bugs[1]["key"], key)
        result = self.explore("Crossed", "--baseline=known.json", "--require-bound=2", "--max-schedules=8",
                              "--search=bounded")
        result.require_status(NO_VERDICT)

    def check_wrong_files(self):
        self.write("text", "no report")
        self.write("list.json", '{"format_version": 1, "tests": [{"name": "One"}]}')
        self.write("old.json", '{"format_version": 1, "bugs": [{"kind": "deadlock"}]}')
        self.write("later.json", '{"format_version": 2, "bugs": []}')
        wrong = [((f"--baseline={name}",), f"--baseline: {says}") for name, says in (
            ("none.json", "none.json: No such file"), ("text", "text is no JSON"),
            ("list.json", "list.json is a list of tests without their results"),
            ("old.json", "old.json has a bug without a key"),
            ("later.json", "later.json is no report of Heddle in the format 1"))]
        wrong += [(("--sarif=/no/such/folder/s",), "--sarif: "),
                  (("--sarif=-", "--json=-"), "can't both write to standard output")]
        for command in ("run", "test"):
            for options, says in wrong:
                result = self.scratch.heddle(command, *options, "./worker_test")
                result.require_status(USAGE)
                result.require_says(says)

    def test_workflows(self):
        """The steps of the examples, but for those that install packages; what is built once is not built again."""
        self.write("CMakeLists.txt", LISTS)
        self.write("worker_test.c", SOURCE)
        self.write("ci/baseline.json", '{"format_version": 1, "bugs": []}')
        result = self.workflow(self.github_steps())
        result.require_status(BUG)
        for program, failures in (("worker_test", 2), ("worker_test_instrumented", 3)):
            self.check_suite(program, failures)
        self.assertEqual(len([line for line in result.stdout.splitlines() if line.startswith("::error ")]), 5)
        self.write("ci/baseline.json", json.dumps(self.read("reports/worker_test_instrumented.json")))
        result = self.workflow(self.gitlab_steps())
        result.require_status(OK)
        result.require_says("known    Locks.Crossed", "2 with known bugs only, 1 explored completely",
                            "3 with known bugs only")
        self.check_suite("worker_test_instrumented", 0)
        self.assertEqual(result.stdout.count("::warning "), 5)

    def check_suite(self, program, failures):
        report = self.scratch.read_report(f"reports/{program}.json", "suite")
        results = self.read(f"reports/{program}.sarif")["runs"][0]["results"]
        self.assertEqual(len(results), sum(len(test["report"]["bugs"]) for test in report["tests"]))
        self.assertEqual(len([one for one in results if one["level"] == "error"]), failures)
        suite = xml.etree.ElementTree.parse(self.scratch.path(f"reports/{program}.xml")).getroot().find("testsuite")
        self.assertEqual((suite.get("failures"), suite.get("skipped")), (str(failures), "0"))

    def workflow(self, script):
        folders = [os.path.dirname(OPTIONS.heddle), OPTIONS.build, os.environ["PATH"]]
        return harness.run(["bash", "-e", "-c", script], self.scratch.folder,
                           env={**ON_GITHUB, "PATH": os.pathsep.join(folders), "Heddle_DIR": OPTIONS.build})

    @staticmethod
    def steps_of(name, pattern):
        with open(os.path.join(OPTIONS.source, "examples", "ci", name), encoding="utf-8") as file:
            blocks = re.findall(pattern, file.read().partition("artifacts:")[0])
        steps = [re.sub(r"(?m)^ +", "", block) for block in blocks if "apt-get" not in block]
        assert any("heddle test" in step for step in steps) and any("cmake" in step for step in steps)
        return "\n".join(steps)

    def github_steps(self):
        return self.steps_of("github.yml", r"run: \|\n((?: {10}.*\n)+)")

    def gitlab_steps(self):
        return self.steps_of("gitlab.yml", r"    - (?:\|\n)?([a-z ].*\n(?: {6}.*\n)*)")


if __name__ == "__main__":
    harness.main()
