// Command lines: where options end, what values are accepted, and what is said of those that are not.
#include "cli/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include "cli/from_trace.h"
#include "cli/help.h"
#include "cli/help_files.h"
#include "cli/junit.h"
#include "cli/options.h"
#include "cli/suite.h"
#include "cli/test_lists.h"
#include "cli/values.h"
#include "support/execution_builder.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

Parsed run_with(const Words& words) { return parse(kRunCommand, words); }
std::string error_of(const Words& words) { return run_with(words).error; }

TEST(Parse, OptionsEndAtTheFirstWordThatIsNone) {
  const Parsed parsed = run_with({"--seed=7", "./test", "--seed=9", "-q", "--", "x"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.settings.run.seed, 7u);
  EXPECT_FALSE(parsed.settings.quiet);
  EXPECT_EQ(parsed.settings.run.command, (Words{"./test", "--seed=9", "-q", "--", "x"}));
}

TEST(Parse, OptionsBehindTheProgramGiveANote) {
  const auto note = [](const Words& words) { return run_with(words).note; };
  EXPECT_EQ(note({"./test", "--time=5s"}),
            "note: --time=5s stands behind ./test and goes to it; heddle's own options come before the program (-- "
            "before ./test says that it is meant so)");
  EXPECT_NE(note({"-j2", "./test", "x", "--time", "5s", "-j"}).find("--time -j stand behind"), std::string::npos);
  EXPECT_EQ(note({"--", "./test", "--time=5s"}), "") << "it was said that it is meant";
  EXPECT_EQ(note({"./test", "--", "--time=5s"}), "");
  EXPECT_EQ(note({"-q", "./test", "--time=5s"}), "");
  EXPECT_EQ(note({"./test", "--timer=5s", "--keep-going=yes", "time=5s", "--junit=x"}), "") << "none of run's";
  EXPECT_NE(parse(kTestCommand, {"./test", "--junit=x"}).note, "");
  EXPECT_EQ(parse(kDoctorCommand, {"./test", "--time=5s"}).note, "");
}

TEST(Parse, TwoDashesEndOptions) {
  const Parsed parsed = run_with({"-q", "--", "-strange-name", "a"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.settings.run.command, (Words{"-strange-name", "a"}));
}

TEST(Parse, AnOptionThatThereIsNotIsLikelyToBeAnother) {
  const auto says = [](const std::string& word, const std::string& text) {
    return error_of({word, "./test"}).find(text) != std::string::npos;
  };
  EXPECT_TRUE(says("--tme=3", "--tme=3; is --time meant?")) << error_of({"--tme=3", "./test"});
  EXPECT_TRUE(says("--max-shedules=3", "is --max-schedules meant?"));
  EXPECT_TRUE(says("--keep-goin", "is --keep-going meant?"));
  EXPECT_TRUE(says("--max-=3", "not expected"));
  EXPECT_FALSE(says("--max-=3", "meant?")) << "there are several";
  EXPECT_FALSE(says("--colour-of-the-sky", "meant?"));
  EXPECT_FALSE(says("-z", "meant?"));
}

TEST(Parse, ValuesInTheSameWordOrTheNext) {
  const Parsed parsed = run_with({"--time", "5m", "-o", "out", "--max-preemptions=2", "./test"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.settings.run.time_s, 300);
  EXPECT_EQ(parsed.settings.run.output_directory, "out");
  EXPECT_EQ(parsed.settings.run.search_options.at("--max-preemptions"), "2");
  EXPECT_EQ(parsed.settings.run.command, Words{"./test"});
}

TEST(Parse, EveryOptionOfTheRun) {
  const Parsed parsed = run_with({"--search=random",
                                  "--max-schedules=10",
                                  "--max-steps=5",
                                  "--execution-timeout=500ms",
                                  "--spurious-wakeups=3",
                                  "--early-timeouts=no",
                                  "--keep-going",
                                  "--require-bound=1",
                                  "--carrier=thread",
                                  "--isolation=exec",
                                  "--start-at=begin",
                                  "--clock=real",
                                  "--target=t",
                                  "--json=-",
                                  "--output=all",
                                  "--ok-exit=1,77",
                                  "-j3",
                                  "--memory-limit=500M",
                                  "--checkpoints=never",
                                  "--execution-log=log",
                                  "-q",
                                  "--color=always",
                                  "./test"});
  ASSERT_EQ(parsed.error, "");
  const RunOptions& run = parsed.settings.run;
  EXPECT_EQ(run.search, "random");
  EXPECT_EQ(run.max_schedules, 10u);
  EXPECT_EQ(run.max_steps, 5u);
  EXPECT_DOUBLE_EQ(run.execution_timeout_s, 0.5);
  EXPECT_EQ(run.spurious_wakeups, 3u);
  EXPECT_EQ(run.timeouts, Timeouts::Late);
  EXPECT_TRUE(run.keep_going);
  EXPECT_EQ(run.require_bound, 1u);
  EXPECT_EQ(run.carrier, CarrierKind::Thread);
  EXPECT_EQ(run.isolation, IsolationChoice::Exec);
  EXPECT_EQ(run.start_at, "begin");
  EXPECT_EQ(run.clock, ClockKind::Real);
  EXPECT_EQ(run.target, "t");
  EXPECT_EQ(run.output, OutputMode::All);
  EXPECT_EQ(run.ok_exit, (std::vector<int>{1, 77}));
  EXPECT_EQ(run.workers, 3u);
  EXPECT_EQ(run.memory_bytes, std::uint64_t{500} << 20);
  EXPECT_EQ(run.checkpoints, CheckpointChoice::Never);
  EXPECT_EQ(run.execution_log, "log");
  EXPECT_EQ(parsed.settings.json, "-");
  EXPECT_TRUE(parsed.settings.quiet);
  EXPECT_EQ(parsed.settings.color, ColorMode::Always);
}

TEST(Parse, WrongValuesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"--search=best", "--search: \"best\" is none of: auto, bounded, random, dpor, delay"},
      {"--max-steps=0", "--max-steps: \"0\" is not a whole number from 1 to 16000000"},
      {"--max-preemptions=-1", "\"-1\" is not a whole number from 0 to 1000"},
      {"--seed=99999999999999999999", "is not a whole number"},
      {"--seed=7x", "\"7x\" is not a whole number"},
      {"--time=fast", "--time: \"fast\" is not a time"},
      {"--time=-5s", "is not a time"},
      {"--time=5y", "is not a time"},
      {"--time=0", "is not a time"},
      {"--skip-status=256", "is not a whole number from 0 to 255"},
      {"--ok-exit=256", "is not a list of exit statuses"},
      {"--ok-exit=1,,2", "is not a list of exit statuses"},
      {"--color=pink", "is none of: auto, always, never"},
      {"--start-at=", "--start-at: 1 required"},
      {"--isolation=vm", "--isolation: \"vm\" is none of: auto, snapshot, fork, exec"},
      {"-j0", "-j: \"0\" is not a whole number from 1 to 1024"},
      {"--memory-limit=lots", "--memory-limit: \"lots\" is not an amount of memory of at least 16M"},
      {"--memory-limit=1M", "is not an amount of memory of at least 16M"},
  };
  for (const auto& [word, expected] : cases)
    EXPECT_NE(error_of({word, "./test"}).find(expected), std::string::npos)
        << word << ": " << error_of({word, "./test"});
}

TEST(Parse, UnknownAndIncompleteOptions) {
  EXPECT_NE(error_of({"--sead=7", "./test"}).find("--sead"), std::string::npos);
  EXPECT_NE(error_of({"--seed"}), "");
  EXPECT_NE(error_of({"--keep-going=7", "./test"}).find("takes no value"), std::string::npos);
  EXPECT_NE(parse(kShowCommand, {"--seed=7"}).error, "") << "not an option of show";
}

TEST(Parse, TheLastOfTwoWins) { EXPECT_EQ(run_with({"--seed=1", "--seed=2", "./test"}).settings.run.seed, 2u); }

TEST(Parse, HelpAnywhereAmongTheOptions) {
  EXPECT_TRUE(run_with({"--seed=1", "--help"}).help);
  EXPECT_FALSE(run_with({"./test", "--help"}).help) << "that is the program's";
}

TEST(Parse, OperandsOfOtherCommands) {
  EXPECT_EQ(parse(kReplayCommand, {"bug-1.trace", "--carrier=thread"}).settings.operands, Words{"bug-1.trace"});
  EXPECT_EQ(parse(kShowCommand, {"--width=80", "2"}).settings.width, 80u);
}

TEST(Values, Seconds) {
  EXPECT_EQ(parse_seconds("60s"), 60);
  EXPECT_EQ(parse_seconds("1.5h"), 5400);
  EXPECT_EQ(parse_seconds("2"), 2);
  EXPECT_DOUBLE_EQ(*parse_seconds("250ms"), 0.25);
  for (const char* wrong : {"", "s", "5 s", "1e3s", "nan", "inf", "5ss", "-"})
    EXPECT_FALSE(parse_seconds(wrong)) << wrong;
}

TEST(Values, Bytes) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("100K"), 102'400u);
  EXPECT_EQ(parse_bytes("500M"), std::uint64_t{500} << 20);
  EXPECT_EQ(parse_bytes("4G"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_bytes("16777215T"), std::uint64_t{0xffffff} << 40) << "the most that fits";
  for (const char* wrong : {"", "M", "4g", "4GB", "4 G", "1.5G", "-1", "0x10", "16777216T", "18446744073709551616"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(Values, BytesAsText) {
  EXPECT_EQ(format_bytes(0), "0");
  EXPECT_EQ(format_bytes(1023), "1023");
  EXPECT_EQ(format_bytes(1024), "1K");
  EXPECT_EQ(format_bytes(std::uint64_t{1536} << 10), "1536K") << "no fractions";
  EXPECT_EQ(format_bytes(std::uint64_t{2048} << 40), "2048T") << "there is no greater unit";
  for (const char* text : {"1", "100K", "500M", "4G"}) EXPECT_EQ(format_bytes(*parse_bytes(text)), text);
}

TEST(Options, TextsThatAreGivenAreAccepted) {
  const Settings defaults;
  for (const Option& option : options()) {
    const std::string text = option.get(defaults);
    Settings settings;
    EXPECT_EQ(text.empty() ? "" : option.set(settings, text), "") << option.name;
  }
}

TEST(Options, NamesAreUniqueAndHelpIsThere) {
  std::set<std::string> names;
  for (const Option& option : options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_NE(std::string(option.help), "") << option.name;
    EXPECT_EQ(option_named(option.name), &option);
  }
}

TEST(Options, ASearchCanBeRepeated) {
  const Parsed parsed =
      run_with({"--search=random", "--seed=9", "--keep-going", "--ok-exit=3", "--time=5m", "-q", "./test"});
  const auto search = search_to_repeat(parsed.settings);
  EXPECT_EQ(
      search,
      (std::vector<NamedText>{
          {"--search", "random"}, {"--time", "300s"}, {"--seed", "9"}, {"--keep-going", "yes"}, {"--ok-exit", "3"}}));
  Settings again;
  EXPECT_EQ(apply_search(search, again), "");
  EXPECT_EQ(search_to_repeat(again), search);
  EXPECT_NE(apply_search({{"--nothing", "1"}}, again), "");
  EXPECT_NE(apply_search({{"-o", "elsewhere"}}, again), "") << "a trace can't tell where to write";
}

std::string trace_with(const std::vector<NamedText>& search) {
  Trace trace;
  trace.header.program = "/bin/true";
  trace.header.invoked_as = "true";
  trace.header.arguments = {"a", "b"};
  trace.header.directory = "/tmp";
  trace.header.search = search;
  trace.execution = test::crossed_locks();
  std::string path = ::testing::TempDir() + "like." + std::to_string(getpid()) + ".trace";
  EXPECT_EQ(write_trace(path, trace), "");
  return path;
}

TEST(Like, TakesProgramAndSearchFromTheTrace) {
  const std::string path = trace_with({{"--seed", "9"}, {"--search", "random"}});
  const Parsed parsed = run_with({"--seed=10", "--like=" + path});
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.settings.run.search, "random");
  EXPECT_EQ(parsed.settings.run.seed, 10u) << "what is given beside it wins, also in front";
  EXPECT_EQ(parsed.settings.run.command, (Words{"/bin/true", "a", "b"}));
  EXPECT_EQ(run_with({"--like=" + path, "./other"}).settings.run.command, Words{"./other"});
}

TEST(Like, BadTracesAreRefused) {
  EXPECT_NE(error_of({"--like=/nowhere.trace"}), "");
  EXPECT_NE(error_of({"--like=" + trace_with({{"--seed", "x"}})}).find("--seed"), std::string::npos);
}

TEST(FromTrace, SettingsOfAReplay) {
  TraceHeader header;
  header.program = "/tmp/program";
  header.invoked_as = "./program";
  header.directory = "/tmp";
  header.carrier = CarrierKind::Thread;
  header.processors = 3;
  header.timeouts = Timeouts::Late;
  header.ok_exit = {5};
  const RunOptions options = options_of(header);
  EXPECT_EQ(options.command, Words{"./program"});
  EXPECT_EQ(options.carrier, CarrierKind::Thread);
  EXPECT_EQ(options.processors, 3u);
  EXPECT_EQ(options.timeouts, Timeouts::Late);
  EXPECT_EQ(options.ok_exit, std::vector<int>{5});
  header.invoked_as = "program";  // found on PATH then; now it is named in full
  EXPECT_EQ(options_of(header).command, Words{"/tmp/program"});
}

// As a whole name: --exec is no part of --execution-log.
bool has_name(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::string_view behind = text.substr(at + name.size());
    const bool goes_on = !behind.empty() && (std::isalpha(static_cast<unsigned char>(behind[0])) != 0 ||
                                             behind[0] == '-' || behind[0] == '\\');
    if (!goes_on) return true;
  }
  return false;
}

TEST(Help, NamesEveryOptionOfTheCommand) {
  const std::string help = help_for(kRunCommand), markdown = options_as_markdown();
  for (const Option& option : options()) {
    EXPECT_EQ(has_name(help, option.name), (option.commands & For::Run) != 0) << option.name;
    EXPECT_TRUE(has_name(markdown, std::string("`") + option.name)) << option.name;
  }
  EXPECT_NE(help.find("130"), std::string::npos);
  for (const Command* command : commands()) {
    std::string typed = command->name;
    if (typed.starts_with("farm-")) typed[4] = ' ';
    EXPECT_NE(general_help().find(typed), std::string::npos) << typed;
  }
}

TEST(Help, FitsASmallTerminal) {
  const std::string help = general_help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24);
  std::size_t begin = 0;
  for (std::size_t end = help.find('\n'); end != std::string::npos; begin = end + 1, end = help.find('\n', begin))
    EXPECT_LE(end - begin, 80u) << help.substr(begin, end - begin);
}

TEST(Help, ManualPagesAndCompletionsHaveEveryOptionOfTheCommand) {
  const std::string page = man_page(&kRunCommand);
  EXPECT_EQ(page.rfind(".TH HEDDLE-RUN 1 ", 0), 0u);
  for (const char* const shell : {"bash", "zsh", "fish"}) EXPECT_NE(completion(shell).find("seed"), std::string::npos);
  for (const Option& option : options()) {
    std::string name;
    for (const char* c = option.name; *c != '\0'; ++c) name += *c == '-' ? "\\-" : std::string(1, *c);
    EXPECT_EQ(has_name(page, ".B " + name), (option.commands & For::Run) != 0) << option.name;
    EXPECT_TRUE(has_name(completion("bash"), option.name)) << option.name;
  }
  for (const Command* command : commands()) EXPECT_NE(man_page(nullptr).find(command->name), std::string::npos);
  EXPECT_EQ(completion("tcsh"), "");
}

TEST(TestLists, AreReadAsTheFrameworksPrintThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_by_doctest("[doctest] listing all test case names\n====\nlocks, crossed\nadd\n====\n[doctest] 2\n"),
            (Names{"locks, crossed", "add"}));
  EXPECT_EQ(names_by_boost("locks*\n    crossed*: two locks\n    slow\n    inner*\n        ordered*\nsums*\n"),
            (Names{"locks/crossed", "locks/inner/ordered", "sums"}));
  EXPECT_EQ(names_by_cpputest("Locks.Crossed Locks.Ordered\n"), (Names{"Locks.Crossed", "Locks.Ordered"}));
  EXPECT_EQ(names_by_libtest("kept: test\nqueue::lost: test\nqueue::speed: benchmark\n"),
            (Names{"kept", "queue::lost"}));
  EXPECT_EQ(names_by_lines("  one  \n\ntwo words\n"), (Names{"one", "two words"}));
}

// heddle farm attach takes them from the server, to which others may write.
TEST(Suite, HandsNoOptionOnThatWritesFilesOrSaysHowWorkersRun) {
  for (const char* const name : {"--junit", "--json", "--sarif", "-o", "--execution-log", "--farm", "--sandbox",
                                 "--list", "--worker-memory", "-j", "--time"})
    EXPECT_FALSE(is_for_tests(*option_named(name))) << name;
  for (const char* const name : {"--search", "--seed", "--baseline", "--suppressions", "--output"})
    EXPECT_TRUE(is_for_tests(*option_named(name))) << name;
}

TEST(Suite, GivesMoreTimeToWhatIsOpen) {
  const auto of = [](TestVerdict verdict, bool needs_time, bool may_need_time, const char* stopped) {
    TestResult result{{"one", {}}, verdict, "", {}, ""};
    result.report = {{"bugs", {{{"needs_only_time", needs_time}, {"may_need_only_time", may_need_time}}}},
                     {"stop_reason", stopped}};
    return result;
  };
  EXPECT_TRUE(has_more(of(TestVerdict::Bug, false, true, "bug"), TimingBugs::Pass));
  EXPECT_FALSE(has_more(of(TestVerdict::Bug, false, true, "bug"), TimingBugs::Fail));
  EXPECT_FALSE(has_more(of(TestVerdict::Bug, false, false, "bug"), TimingBugs::Pass));
  EXPECT_FALSE(has_more(of(TestVerdict::Timing, true, false, "bug"), TimingBugs::Pass));
  EXPECT_TRUE(has_more(of(TestVerdict::Bound, false, false, "time"), TimingBugs::Fail));
  EXPECT_FALSE(has_more(of(TestVerdict::Proved, false, false, "time"), TimingBugs::Fail));
}

TEST(Junit, IsWellFormedWhateverTheProgramSays) {
  TestResult bug{{"Locks.<Crossed>", {}}, TestVerdict::Bug, "", {}, ""};
  bug.report = {{"bugs", {{{"kind", "assertion"}, {"message", "a < b && \"c\"\x01\nmore"}, {"site", nullptr}}}}};
  const TestResult skipped{{"Sums", {}}, TestVerdict::NoThreads, "", {}, ""};
  const std::string text = junit("suite", {bug, skipped});
  EXPECT_NE(text.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""), std::string::npos) << text;
  EXPECT_NE(text.find("name=\"Locks.&lt;Crossed&gt;\""), std::string::npos) << text;
  EXPECT_NE(text.find("message=\"a &lt; b &amp;&amp; &quot;c&quot;"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace heddle::cli
