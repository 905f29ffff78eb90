// What heddle doctor says of machines and programs that this machine need not have.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/machine_check.h"
#include "cli/program_check.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

// Of the finding that has this text; nothing: "-".
std::string judged(const Findings& findings, const std::string& text) {
  for (const Finding& finding : findings)
    if (finding.text.find(text) != std::string::npos)
      return finding.judgement == FindingKind::Ok        ? "ok"
             : finding.judgement == FindingKind::Slow    ? "slow"
             : finding.judgement == FindingKind::Missing ? "missing"
                                                         : "note";
  return "-";
}

Machine good_machine() {
  Machine machine;
  machine.schedules = 20;
  machine.seconds = 0.1;
  machine.processors = machine.workers = 4;
  machine.compiler = "g++ (Debian 12.2.0-14) 12.2.0";
  return machine;
}

TEST(Doctor, HasNothingToSayOfAGoodMachine) {
  const Findings findings = findings_of(good_machine());
  EXPECT_TRUE(std::all_of(findings.begin(), findings.end(),
                          [](const Finding& one) { return one.judgement == FindingKind::Ok; }));
  EXPECT_EQ(judged(findings, "explored a small program: 20 schedules"), "ok");
  EXPECT_EQ(judged(findings, "4 processors: schedules run on 4"), "ok");
  EXPECT_EQ(judged(findings, "with g++ (Debian 12.2.0-14) 12.2.0"), "ok");
  EXPECT_FALSE(any_missing(findings));
}

TEST(Doctor, SaysWhatAMachineLacks) {
  Machine machine = good_machine();
  machine.why_no_snapshots = "the kernel does not let system calls be seen here";
  machine.sees_system_calls = machine.has_avx2 = machine.has_gdb = machine.has_temporary_folder = false;
  machine.randomized = machine.switches_by_call = true;
  machine.processors = machine.workers = 1;
  machine.may_write_here = false;
  machine.compiler.clear();
  machine.compiler_problem = "exec: g++: not found";
  const Findings findings = findings_of(machine);
  for (const char* text : {"(fork): the kernel does not let", "FSGSBASE", "AVX2", "one processor"})
    EXPECT_EQ(judged(findings, text), "slow") << text;
  for (const char* text :
       {"--isolation=exec", "personality()", "exec: g++: not found", "apt install gdb", "TMPDIR", "-o DIR"})
    EXPECT_EQ(judged(findings, text), "note") << text;
  EXPECT_FALSE(any_missing(findings)) << "all of this can be done without";
  machine.problem = "libheddle.so was not found";
  EXPECT_EQ(judged(findings_of(machine), "libheddle.so was not found"), "missing");
  EXPECT_TRUE(any_missing(findings_of(machine)));
}

TEST(Doctor, WritesALineForEachAndBreaksLongOnes) {
  EXPECT_EQ(text_of("Here", {{FindingKind::Slow, "one two three"}, {FindingKind::Ok, "four"}}, 20),
            "Here\nslow     one two\n         three\nok       four\n");
}

TEST(Doctor, ReadsWhatTheLoaderLists) {
  const ListedLibraries listed = libraries_in(
      "\tlinux-vdso.so.1 (0x00007fff)\n\tlibone.so => /my folder/libone.so (0x00007f00)\n"
      "\tliblost.so => not found\n\t./libtwo.so (0x00007f01)\n");
  EXPECT_EQ(listed.paths, (Words{"/my folder/libone.so", "./libtwo.so"}));
  EXPECT_EQ(listed.problem, "liblost.so => not found");
  EXPECT_TRUE(libraries_in("").paths.empty());
  EXPECT_EQ(libraries_in("./x: error while loading shared libraries: libl.so: cannot open\n").problem,
            "libl.so: cannot open");
  EXPECT_NE(libraries_in("./x: /lib/libc.so.6: version `GLIBC_2.90' not found (required by ./x)\n").problem, "");
}

Program program_of(const ElfFile& elf) {
  Program program;
  program.name = "./test";
  program.files = {{"test", elf, elf.has_debug_information}, {"libone.so", elf, elf.has_debug_information}};
  return program;
}

TEST(Doctor, TellsHowMuchOfAProgramIsSeen) {
  ElfFile plain, seen;
  plain.has_debug_information = true;
  seen.instrumented = true;
  seen.instrumented_sources = 1;
  Program program = program_of(plain);
  program.files[1].has_atomic_updates = true;
  EXPECT_EQ(judged(findings_of(program), "not built with heddle-c++: test and libone.so"), "note");
  EXPECT_EQ(judged(findings_of(program), "there are some in libone.so"), "note");
  EXPECT_EQ(judged(findings_of(program), "debug information: places are lines"), "ok");
  program = program_of(seen);
  EXPECT_EQ(judged(findings_of(program), "built with heddle-c++: test and libone.so; threads are"), "ok");
  EXPECT_EQ(judged(findings_of(program), "not built"), "-");
  EXPECT_EQ(judged(findings_of(program), "no debug information in test and libone.so"), "note");
  program.files[0].elf.plain_sources = {"a.cpp", "b.cpp", "c.cpp", "d.cpp"};
  EXPECT_EQ(judged(findings_of(program), "in test, a.cpp, b.cpp, c.cpp and 1 more were not compiled"), "note");
  program.files[0].elf.instrumented_sources = 0;
  EXPECT_EQ(judged(findings_of(program), "test was linked by heddle-c++, and none"), "note");
  EXPECT_EQ(judged(findings_of(program), "built with heddle-c++: libone.so"), "ok");
  program.files[1].elf.of_another_version = true;
  EXPECT_EQ(judged(findings_of(program), "libone.so was built with another version's"), "note");
}

TEST(Doctor, OfPythonItsLinesAreSeen) {
  Program program;
  program.files.push_back({});
  program.python = true;
  const Findings all = findings_of(program);
  ASSERT_EQ(all.size(), 2u);  // that it can be loaded, and this
  EXPECT_NE(all[1].text.find("threads are switched before each line"), std::string::npos);
}

TEST(Doctor, LeadsOn) {
  Program program = program_of(ElfFile());
  EXPECT_EQ(next_command(program, {"./a test", "-x"}), "heddle run './a test' -x");
  EXPECT_EQ(next_command(program, {"-odd"}), "heddle run -- -odd");
  program.framework = "GoogleTest";
  EXPECT_EQ(next_command(program, {"./test"}), "heddle test ./test");
  EXPECT_EQ(judged(findings_of(program), "heddle test explores each"), "ok");
  program.loader_problem = "liblost.so: not found";
  EXPECT_TRUE(any_missing(findings_of(program)));
  program.script = true;
  EXPECT_EQ(judged(findings_of(program), "--target=NAME"), "ok");
}

}  // namespace
}  // namespace heddle::cli
