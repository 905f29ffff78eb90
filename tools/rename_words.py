#!/usr/bin/env python3
# Renames the odd words of Heddle's code to the field's terms: identifiers, file names, include paths, comments.
#
#   rename_words.py ROOT [--dry] [--no-format]
#
# ROOT is a checkout (work tree clean). Idempotent: what is renamed already has nothing left to rename. Files are
# moved by
# git mv. String literals stay as they are (messages, JSON keys, environment variables, options, symbols in
# assembly), except
# include paths and the symbols of ASSEMBLY. Public headers (include/), programs (corpus/, examples/) and end-to-
# end tests
# are left alone. Formats the changed C++ files with clang-format at the end.
import os
import re
import subprocess
import sys

# Whole identifiers. Anywhere in C++ code; in comments only where they can't be English words.
EXACT = {
    # frontier
    "FringeEntry": "FrontierEntry", "fringe": "frontier", "Fringe": "Frontier",
    # prune (src/search and what shows it; see SCOPED for the runtime)
    "LeftOut": "Pruned", "LeftOutChoices": "PrunedChoices", "left_out_choices_": "pruned_choices_",
    "left_out": "pruned", "left_out_": "pruned_", "left_out_total_": "pruned_total_", "leave_out": "prune",
    "most_left_out": "max_pruned", "sample_left_out": "sample_pruned", "left_out_already": "pruned_already",
    "leave_out_the_middle": "elide_middle",
    # restore
    "put_back": "restore", "put_back_page": "restore_page", "put_back_kept": "restore_kept",
    "put_back_pieces": "restore_pieces", "PutBackLoops": "RestoreLoops", "PutBackMethod": "RestoreMethod",
    "PutBackTest": "RestorePagesTest", "best_put_back_method": "best_restore_method",
    "use_put_back_method": "use_restore_method", "put_positions_back": "restore_positions",
    "begin_putting_thread_pointers_back": "begin_restoring_thread_pointers", "PutBack": "Restored",
    # dirty page
    "hot": "dirty", "hot_count": "dirty_count", "hot_pages": "dirty_pages", "hot_page": "dirty_page",
    "HotPage": "DirtyPage", "hash_hot_pages": "hash_dirty_pages", "kMostHot": "kMaxDirty",
    # yield
    "gave_way": "yielded", "gives_way": "yields", "gives_way_": "yields_", "give_way": "yield",
    "give_way_when_polling": "yield_when_polling", "give_way_before_access": "yield_before_access",
    "give_way_to_others": "yield_to_others", "times_given_way": "times_yielded", "kGiveWayEvery": "kYieldEvery",
    # environment
    "enter_surroundings": "enter_environment", "enter_surroundings_of": "enter_environment_of",
    "surroundings": "environment",
    # rate limiter
    "Seldom": "RateLimiter", "looks_for_end_": "end_checks_", "looks_at_output_": "output_checks_",
    "kSeldom": "kRarely",
    # look: check, scan, find, detect, inspect, read
    "look_through_steps": "scan_steps", "look_at_siblings": "scan_siblings", "kLooks": "kChecks",
    "look_at_fresh_start": "check_fresh_start", "look_for_new_files": "find_new_files",
    "looked_for_files_": "searched_for_files_", "look_at_dropped": "check_dropped", "look_at_sample": "check_sample",
    "look_at_first": "check_first", "looked_at": "examined", "looked_at_": "examined_", "kLookedAt": "kExamined",
    "kLookedAtOnce": "kExaminedAtOnce", "kLookedAtForEachStep": "kExaminedForEachStep",
    "all_are_looked_at": "all_are_examined", "is_looked_at": "is_examined",
    "is_looked_at_for_loading": "is_checked_for_loading", "looked_from_": "scanned_from_", "looked_": "checked_",
    "look_at_input": "check_input", "look_after": "supervise", "look_before_step": "observe_before_step",
    "accesses_until_look": "accesses_until_check", "looks_for_races": "detects_races",
    "begin_looking_for_loops": "begin_loop_detection", "look_for_loops_by_plan": "detect_loops_by_plan",
    "look_at_step": "check_step", "look_for_loop_from": "detect_loops_from", "look_next_at": "check_next_at",
    "look_behind_idle_step": "check_after_idle_step", "look_in_stretch": "check_in_stretch",
    "look_on_snapshot": "check_on_snapshot", "looks": "checks", "kMostLooks": "kMaxChecks",
    "looks_left": "checks_left", "looking_at_loop": "checking_loop", "look_for_plain_loop": "detect_plain_loop",
    "begin_looking_for_plain_loops": "begin_plain_loop_detection", "look_at_fault_actions": "check_fault_actions",
    "look_for_memory": "scan_memory", "look_behind": "scan_after", "look_at_unseen": "find_unseen",
    "look_at_end": "scan_end", "look_on_object": "scan_object", "look_everywhere": "scan_all", "look_for": "search_for",
    "look_back": "scan_back", "look_at_pending": "scan_pending", "look_at_wake": "scan_wake",
    "look_at_segments": "read_segments", "look_at_symbol": "read_symbol", "look_at_symbols": "read_symbols",
    "look_at_sections": "read_sections", "ThreadLook": "ThreadStatus", "look_at_threads": "read_threads",
    "kLooksAtRunning": "kChecksOfRunning", "kBetweenLooks": "kBetweenChecks", "look_for_start": "find_start",
    "look_at_code": "scan_code", "look_at_module": "scan_module", "look_at_file": "scan_file",
    "looks_asleep": "seems_asleep", "idle_looks": "idle_checks", "kLookTime": "kCheckTime",
    "kLookEvery": "kCheckEvery", "quick_looks": "quick_checks", "looks_at_branchings": "checks_branchings",
    "look_at_pipe": "inspect_pipe", "look_at_pair": "inspect_pair", "look_at_counter": "inspect_counter",
    "look_at_set": "inspect_set", "look_at_waiting": "check_waiting", "look_for_owner": "find_owner",
    "look_at_libraries": "scan_libraries", "kLooksAsleep": "kChecksAsleep", "look_outside": "check_outside",
    "look_at": "examine", "look_at_mapping": "examine_mapping", "wait_and_look": "wait_and_check",
    "look_at_children": "check_children",
    # divergence of two executions; split points of plans; mismatch of saved searches
    "Difference": "Divergence", "report_difference": "report_divergence", "difference_to": "mismatch_with",
    "difference_of_files": "mismatch_of_files", "Parting": "SplitPoint", "Partings": "SplitPoints",
    "PartingsTest": "SplitPointsTest", "find_partings": "find_split_points", "partings": "split_points",
    "partings_": "split_points_",
    # prefix
    "Beginning": "Prefix", "common_beginning": "common_prefix",
    # restart
    "begin_anew": "restart", "kStartsAnew": "kRestarts",
    # consecutive
    "yields_in_a_row": "consecutive_yields", "reads_in_a_row": "consecutive_reads",
    "kDealtInARow": "kDealtConsecutively",
    "in_a_row": "consecutive", "InARow": "Consecutive",
    # the rest
    "barren_deaths": "deaths_without_progress", "kMostBarrenDeaths": "kMaxDeathsWithoutProgress",
    "bookmark_come_to": "bookmark_reached", "stand_still": "hang", "stands_still": "hangs", "standing": "hung",
    "standing_count": "hung_count", "standing_processes": "hung_processes", "kMostStanding": "kMaxHung",
    "told_of_standing_": "hung_reported_", "told_of_threads_": "threads_reported_",
    "about_standing_still": "about_hanging", "die_unheard": "die_silently", "hear_children": "poll_children",
    "unkept_pages": "unsaved_pages", "unkept_pages_": "unsaved_pages_", "tell_about_unkept": "tell_about_unsaved",
    "heap_stands_aside": "heap_is_bypassed", "is_told": "is_reported", "is_told_alike": "is_reported_alike",
    "told_schedules_": "reported_schedules_", "is_what_was_laid": "is_what_was_copied",
    "has_what_was_laid": "has_what_was_copied", "keep_what_was_laid": "keep_what_was_copied",
    "heddle_look_for_loop": "heddle_detect_loop", "heddle_look_at_state": "heddle_check_state",
}
# Only below a folder; they come before EXACT.
SCOPED = [
    ("src/runtime/", {"left_out": "excluded", "leave_out_together": "exclude_together", "leave_out": "exclude"}),
    ("src/driver/", {"leave_out": "exclude"}),
    ("tests/unit/driver/", {"leave_out": "exclude"}),
    ("src/search/", {"put_back": "requeue"}),
    ("src/trace/", {"beginning": "prefix"}),
]
# Symbols that assembly in string literals names, too.
ASSEMBLY = {"heddle_look_for_loop": "heddle_detect_loop", "heddle_look_at_state": "heddle_check_state"}
# A variable `difference` is renamed where the type is known in the file.
TYPED = ("difference", "divergence", re.compile(r"\b(Difference|Divergence)\b|[.>]difference\b|[.>]divergence\b"))
# Members of `kMostX`, `kLeastX`, `most_x`: unless the new name is there already, anywhere.
PREFIXES = [(re.compile(r"kMost(?=[A-Z]|\b)"), "kMax"), (re.compile(r"kLeast(?=[A-Z]|\b)"), "kMin")]
TEXTS = [("for (int look = 1; look < kLooksAtRunning && runs(threads); ++look)",
          "for (int check = 1; check < kLooksAtRunning && runs(threads); ++check)")]
FILES = {
    "fringe": "frontier", "left_out": "pruned", "seldom": "rate_limiter", "put_back": "restore_pages",
    "put_back_avx2": "restore_pages_avx2", "put_back_avx512": "restore_pages_avx512", "put_back_loops": "restore_loops",
    "put_back_test": "restore_pages_test", "partings": "split_points", "partings_test": "split_points_test",
    "beginnings": "prefixes", "beginnings_test": "prefixes_test",
}
MOVED_BELOW = ("src/", "tests/unit/")

# Phrases in comments.
PHRASES = [
    (r"\bfringe\b", "frontier"), (r"\bFringe\b", "Frontier"), (r"\bhot page", "dirty page"),
    (r"\b(become|becomes|became|become[sd]?|are|is|was|were|being|not) hot\b", r"\1 dirty"),
    (r"\*hot\*", "*dirty*"), (r"\bgives way\b", "yields"), (r"\bgave way\b", "yielded"), (r"\bgive way\b", "yield"),
    (r"\bgiving way\b", "yielding"), (r"\bgiven way\b", "yielded"), (r"\bGives way\b", "Yields"),
    (r"\bGive way\b", "Yield"),
    (r"\b(to|must|can|can't|could|will|would|we|us) put back (?=the|what|all|it|them|a |an |its|memory|pages)",
     r"\1 restore "),
    (r"\bputs back\b", "restores"), (r"\bPuts back\b", "Restores"), (r"\bputting back\b", "restoring"),
    (r"\bPutting back\b", "Restoring"),
    (r"\b(to|must|can|can't|could|will|would|doesn't|don't) put back\b", r"\1 restore"),
    (r"\bPut back\b", "Restored"), (r"\bput back\b", "restored"),
    (r"\bsurroundings\b", "environment"), (r"\bgives_way\b", "yields"),
]
SEARCH_PHRASES = [
    (r"\bleft out\b", "pruned"), (r"\bLeft out\b", "Pruned"),
    (r"\bleaves out\b", "prunes"), (r"\bLeaves out\b", "Prunes"),
    (r"\bleave out\b", "prune"), (r"\bLeave out\b", "Prune"), (r"\bleaving out\b", "pruning"),
    (r"\bLeaving out\b", "Pruning"),
]
SEARCH_BELOW = ("src/search/", "tests/unit/search/")

TOKEN = re.compile(
    r"(?P<raw>R\"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)\")|(?P<line>//(?:\\\n|[^\n])*)|(?P<block>/\*.*?\*/)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\")|(?P<number>\b\d(?:'?[0-9a-zA-Z_.])*)|(?P<char>'(?:\\.|[^'\\\n])+')"
    r"|(?P<word>[A-Za-z_]\w*)", re.S)
WORD = re.compile(r"[A-Za-z_]\w*")


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout


def can_be_english(word):
    return "_" not in word.strip("_") and (word.islower() or word.istitle())


class Renamer:
    def __init__(self, root):
        self.root = root
        self.files = git(root, "ls-files").split("\n")[:-1]
        self.code = [f for f in self.files if f.startswith(("src/", "tests/unit/", "bench/"))
                     and f.endswith((".h", ".cpp", ".def", ".c"))]
        self.known = set()
        for f in self.code:
            self.known.update(WORD.findall(self.read(f)))
        self.used = set()
        self.skipped = set()

    def read(self, f):
        with open(os.path.join(self.root, f), encoding="utf-8") as file:
            return file.read()

    def write(self, f, text):
        with open(os.path.join(self.root, f), "w", encoding="utf-8") as file:
            file.write(text)

    def new_look(self, f, text, word, after):
        if f.startswith("src/driver/") and word == "look":
            if after.startswith("()"):
                return "poll"
            return "status" if re.search(r"\bThread(Look|Status)\b", text) else word
        if f.startswith("src/runtime/") and f.endswith("/poll.cpp"):
            return {"look": "query", "Look": "Query"}[word]
        if f.startswith("src/runtime/") and word == "look" and after.startswith("("):
            return "check"
        if f.startswith("src/search/") and word == "look" and after.startswith("("):
            return "scan"
        return word

    def new_word(self, f, text, word, after):
        if word in ("look", "Look"):
            return self.new_look(f, text, word, after)
        for folder, names in SCOPED:
            if f.startswith(folder) and word in names:
                return names[word]
        if word == "put_back" and f.startswith("src/driver/") and re.match(r"\((Plan |std::move\()", after):
            return "requeue"
        if word == TYPED[0] and TYPED[2].search(text):
            return TYPED[1]
        if word in EXACT:
            return EXACT[word]
        for old, new in PREFIXES:
            if old.match(word):
                renamed = old.sub(new, word)
                if renamed in self.known:
                    self.skipped.add(f"{word} (there is {renamed})")
                    return word
                return renamed
        return word

    def in_code(self, f, text, word, after):
        new = self.new_word(f, text, word, after)
        if new != word:
            self.used.add((word, new))
        return new

    def in_comment(self, f, text, comment):
        def word(match):
            old = match.group()
            after = comment[match.end():match.end() + 24]
            if can_be_english(old) and not after.startswith("()"):
                return old
            if after.startswith((".h", ".cpp")):
                return old
            return self.in_code(f, text, old, after)

        comment = WORD.sub(word, comment)
        phrases = PHRASES + (SEARCH_PHRASES if f.startswith(SEARCH_BELOW) else [])
        for old, new in phrases:
            comment = re.sub(old, new, comment)
        return comment

    def in_file(self, f):
        text = self.read(f)
        before = text
        for old, new in TEXTS:
            text = text.replace(old, new)

        def token(match):
            if match.group("word"):
                return self.in_code(f, text, match.group(), text[match.end():match.end() + 24])
            if match.group("line") or match.group("block"):
                return self.in_comment(f, text, match.group())
            if match.group("string") or match.group("raw"):
                renamed = match.group()
                for old, new in ASSEMBLY.items():
                    renamed = re.sub(rf"\b{old}\b", new, renamed)
                return renamed
            return match.group()

        return before, TOKEN.sub(token, text)

    def move_files(self, dry):
        moved = []
        for f in self.files:
            folder, name = os.path.split(f)
            base, ext = os.path.splitext(name)
            if base in FILES and f.startswith(MOVED_BELOW):
                moved.append((f, os.path.join(folder, FILES[base] + ext)))
        for old, new in moved:
            print(f"git mv {old} {new}")
            if not dry:
                git(self.root, "mv", old, new)
        return moved

    def rename_paths(self, dry):
        names = "|".join(sorted(FILES, key=len, reverse=True))
        pattern = re.compile(rf"(?<![\w-])({names})\.(h|cpp)\b")
        for f in git(self.root, "ls-files").split("\n")[:-1]:
            if not f.endswith((".h", ".cpp", ".c", ".def", ".txt", ".cmake", ".py", ".md", ".s")) \
                    or f.startswith(("corpus/", "examples/")):
                continue
            text = self.read(f)
            renamed = pattern.sub(lambda m: f"{FILES[m.group(1)]}.{m.group(2)}", text)
            if f.endswith(".md") and f.startswith("docs/"):
                renamed = re.sub(r"`[^`\n]+`", lambda m: WORD.sub(
                    lambda w: w.group() if can_be_english(w.group()) or w.group() in ("left_out", "hot_pages")
                    else EXACT.get(w.group(), w.group()), m.group()), renamed)
                renamed = renamed.replace("`Executor::deal()`, `look()`", "`Executor::deal()`, `poll()`")
            if f.startswith("bench/") and f.endswith(".py"):  # names of classes in profiles
                renamed = re.sub(r"\bLeftOut\b", "Pruned", renamed)
            if renamed != text and not dry:
                self.write(f, renamed)

    def run(self, dry, formatted):
        changed = []
        for f in self.code:
            text, renamed = self.in_file(f)
            if text != renamed:
                changed.append(f)
                if not dry:
                    self.write(f, renamed)
        moved = dict(self.move_files(dry))
        self.rename_paths(dry)
        for old, new in sorted(self.used):
            mark = "  ATTENTION: was there already" if new in self.known else ""
            print(f"{old} -> {new}{mark}")
        for word in sorted(self.skipped):
            print("kept:", word)
        print(f"{len(changed)} files changed, {len(moved)} moved")
        if formatted and not dry:
            touched = [moved.get(f, f) for f in changed]
            touched += [f for f in git(self.root, "diff", "--name-only").split("\n")[:-1]]
            touched = sorted({f for f in touched if f.endswith((".h", ".cpp", ".c"))
                              and f.startswith(("src/", "tests/unit/", "bench/"))})
            if touched:
                subprocess.run(["clang-format", "-i", *touched], cwd=self.root, check=True)


def main():
    options = [a for a in sys.argv[1:] if a.startswith("-")]
    roots = [a for a in sys.argv[1:] if not a.startswith("-")]
    if len(roots) != 1 or not os.path.isdir(roots[0]):
        sys.exit("rename_words.py ROOT [--dry] [--no-format]")
    Renamer(roots[0]).run("--dry" in options, "--no-format" not in options)


if __name__ == "__main__":
    main()
