// SPDX-License-Identifier: Apache-2.0
/// \file polycast-sim as people start it: exit statuses, messages, and what is on the disk afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct outcome {
    int status = -1;
    std::string out, err;
};

class program : public testing::Test {
protected:
    program() : place_(fs::path(testing::TempDir()) / ("program_test_" + std::to_string(::getpid()))) {
        fs::create_directories(place_);
    }
    ~program() override { fs::remove_all(place_); }

    static std::string content(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

    /// Starts the program in the test's folder; `before` runs in the new process.
    pid_t start(const std::vector<std::string>& arguments, const std::function<void()>& before = {}) const {
        const pid_t process = ::fork();
        if (process != 0) return process;
        if (::chdir(place_.c_str()) != 0 || ::freopen("stdout", "w", stdout) == nullptr ||
            ::freopen("stderr", "w", stderr) == nullptr)
            ::_exit(99);
        if (before) before();
        std::vector<char*> words{const_cast<char*>(POLYCAST_SIM)};
        for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
        ::execv(POLYCAST_SIM, words.data());
        ::_exit(98);
    }

    /// A program that hangs is ended: a test must fail, not wait.
    outcome finish(pid_t process, std::chrono::minutes patience = std::chrono::minutes(15)) const {
        int status = 0;
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (::waitpid(process, &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > deadline) ::kill(process, SIGKILL);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(place_ / "stdout"), content(place_ / "stderr")};
    }

    outcome sim(const std::vector<std::string>& arguments, const std::function<void()>& before = {}) const {
        return finish(start(arguments, before));
    }

    /// Everything in the test's folder but what the program printed.
    std::vector<std::string> entries() const {
        std::vector<std::string> names;
        for (const fs::directory_entry& entry : fs::directory_iterator(place_))
            names.push_back(entry.path().filename());
        std::erase_if(names, [](const std::string& name) { return name == "stdout" || name == "stderr"; });
        return names;
    }

    const std::string scenario = POLYCAST_SCENARIOS "/first_light.yaml";
    fs::path place_;
};

TEST_F(program, first_light_delivers_everything) {
    const outcome run = sim({"run", scenario, "--out", "out", "--progress", "json", "--waves"});
    ASSERT_EQ(run.status, 0) << run.err;
    const json results = json::parse(content(place_ / "out" / "results.json"));
    EXPECT_EQ(results["format"], 2);
    ASSERT_EQ(results["points"].size(), 20u);
    for (const json& point : results["points"]) {
        EXPECT_EQ(point["check"]["expected"], 15);
        EXPECT_EQ(point["check"]["delivered"], 15);
        EXPECT_EQ(point["passed"], true);
    }
    // One worm against 15 unicasts that each pay the sender's overheads: the paper's reason for multicast in switches.
    EXPECT_LT(results["summary"][0]["latency_mean"].get<double>() * 3,
              results["summary"][1]["latency_mean"].get<double>());
    // Common sources and destinations for both schemes.
    const std::string latencies = content(place_ / "out" / "tables" / "latencies.csv");
    const auto source = [&](const std::string& point) {
        const std::size_t at = latencies.find(point);
        const std::size_t begin = latencies.find(",0,", at) + 3;
        return latencies.substr(begin, latencies.find(',', begin) - begin);
    };
    EXPECT_EQ(source("irregular-4/tree"), source("irregular-4/unicasts"));
    for (const char* file :
         {"run.json", "scenario.yaml", "tables/points.csv", "tables/links.csv", "topology/irregular-10.json",
          "waves/irregular-1-tree.fst", "waves/irregular-1-tree.gtkw", "waves/irregular-1-tree.sucl"})
        EXPECT_TRUE(fs::exists(place_ / "out" / file)) << file;
    std::istringstream progress(run.err);
    std::string line;
    std::string last;
    while (std::getline(progress, line)) last = line;
    EXPECT_EQ(json::parse(last)["done"], 20);

    // The same again from its own resolved scenario, one point at a time.
    ASSERT_EQ(sim({"run", "out/scenario.yaml", "--out", "again", "--jobs", "1"}).status, 0);
    for (const char* file : {"results.json", "tables/links.csv"})
        EXPECT_EQ(content(place_ / "again" / file), content(place_ / "out" / file));
}

TEST_F(program, every_scheme_delivers_the_same_messages) {
    const outcome run = sim({"run", POLYCAST_SCENARIOS "/schemes.yaml", "--out", "out", "--progress", "json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const json results = json::parse(content(place_ / "out" / "results.json"));
    ASSERT_EQ(results["points"].size(), 30u);
    std::map<std::string, double> latency;
    for (const json& point : results["points"]) {
        EXPECT_EQ(point["passed"], true) << point["id"];
        EXPECT_EQ(point["check"]["messages"]["delivered"], 75);
        EXPECT_EQ(point["plan"]["multicasts"], 5);
        const std::string scheme = point["workload"]["scheme"];
        const json& plan = point["plan"];
        if (scheme == "tree") {
            EXPECT_EQ(plan["sends_mean"], 1);
        } else if (scheme == "ni" || scheme == "software" || scheme == "unicasts") {
            EXPECT_EQ(plan["sends_mean"], 15);
            EXPECT_EQ(plan["steps_max"], scheme == "unicasts" ? 15 : 4);  // binomial for one packet
        }
    }
    for (const json& each : results["summary"]) latency[each["workload"]] = each["latency_mean"];
    EXPECT_LT(latency["tree"], latency["hybrid"]);
    EXPECT_LT(latency["hybrid"], latency["path"]);
    EXPECT_LT(latency["path"], latency["ni"]);
    EXPECT_LT(latency["ni"], latency["software"]);
}

TEST_F(program, duplicates_are_counted_where_they_are_wished_for) {
    const std::vector<std::string> without{"run",   scenario,
                                           "--out", "out",
                                           "-s",    "switch.rewrite_headers=false",
                                           "-s",    "workload=[{name: tree, kind: multicast}]"};
    EXPECT_EQ(sim(without).status, 1);
    std::vector<std::string> counted = without;
    counted.insert(counted.end(), {"-s", "measurement.duplicates=count"});
    ASSERT_EQ(sim(counted).status, 0);
    std::uint64_t worms = 0;
    std::uint64_t duplicated = 0;
    const json results = json::parse(content(place_ / "out" / "results.json"));
    for (const json& point : results["points"]) {
        EXPECT_EQ(point["check"]["delivered"], 15);
        worms += point["duplicates"]["worms"].get<std::uint64_t>();
        duplicated += point["duplicates"]["worms_with_duplicates"].get<std::uint64_t>();
    }
    EXPECT_EQ(worms, 10u);
    EXPECT_GT(duplicated, 5u);
}

TEST_F(program, a_load_says_whether_it_is_too_much) {
    const auto load = [&](const std::string& rate) {
        const outcome run =
            sim({"run", scenario, "--out", "out", "-s", "network.topology.instances=1", "-s",
                 "workload=[{name: path, kind: multicast, scheme: path, degree: 7, rate: " + rate + "}]", "-s",
                 "measurement={warmup: 50000, window: 300000, batches: 10}"});
        EXPECT_EQ(run.status, 0) << run.err;
        return json::parse(content(place_ / "out" / "results.json"))["points"][0];
    };
    const json little = load("1/500");
    EXPECT_EQ(little["load"]["kept_up"], true);
    EXPECT_EQ(little["load"]["batches"].size(), 10u);
    EXPECT_EQ(little["load"]["warmup"], 50000);
    EXPECT_NEAR(little["throughput"]["accepted"].get<double>(), little["throughput"]["offered"].get<double>(), 0.002);
    const json much = load("1/20");
    EXPECT_EQ(much["load"]["kept_up"], false);
    EXPECT_LT(much["throughput"]["accepted"].get<double>(), 0.9 * much["throughput"]["offered"].get<double>());
    EXPECT_NE(much["warnings"][0].get<std::string>().find("does not keep up"), std::string::npos);
}

TEST_F(program, core_and_tlm_give_the_same_files) {
    const std::string workloads =
        "workload=[{name: tree, kind: multicast, messages: 3}, {name: load, kind: unicast, rate: 1/200}, {name: multi, "
        "kind: multicast, degree: 3, rate: 1/1000},"
        " {name: all, kind: unicast, pattern: each_to_each}, {name: hot, kind: unicast, pattern: hotspot, hotspot: "
        "{hosts: [3]}, messages: 4}, {name: path, kind: multicast, scheme: path}, {name: ssr, kind: multicast, scheme: "
        "ssr, degree: 5, rate: 1/2000}, {name: hybrid, kind: multicast, scheme: hybrid, message: 500, messages: 2}]";
    const std::vector<std::string> common{"run", scenario,
                                          "-s",  workloads,
                                          "-s",  "network.topology.instances=2",
                                          "-s",  "measurement={warmup: 2000, window: 20000}"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return more;
    };
    const outcome core = sim(with({"--out", "core"}));
    ASSERT_EQ(core.status, 0) << core.err;
    const outcome tlm = sim(with({"--out", "tlm", "-s", "network.fidelity=tlm", "--jobs", "3"}));
    ASSERT_EQ(tlm.status, 0) << tlm.err;
    const outcome mixed = sim(with({"--out", "mixed", "-s", "network.chips={switch1: tlm, switch6: tlm}"}));
    ASSERT_EQ(mixed.status, 0) << mixed.err;
    for (const char* other : {"tlm", "mixed"}) {
        for (const char* file : {"results.json", "tables/points.csv", "tables/latencies.csv", "tables/links.csv"})
            EXPECT_EQ(content(place_ / "core" / file), content(place_ / other / file)) << other << "/" << file;
    }
}

/// The main promise: ten irregular networks and a real InfiniBand print-out, the same files for every fidelity.
TEST_F(program, every_fidelity_gives_the_same_files) {
    const std::string print_out =
        "network.topology={kind: file, path: " POLYCAST_DATA_DIR "/irregular32.ibnetdiscover}";
    const std::vector<std::string> networks{"network.topology.instances=10", print_out};
    for (std::size_t network = 0; network < networks.size(); ++network) {
        for (const char* fidelity : {"core", "tlm", "rtl", "mixed"}) {
            const std::string out = fidelity + std::to_string(network);
            const std::string choice = fidelity == std::string("mixed") ? "network.chips={switch1: tlm, switch3: rtl}"
                                                                        : "network.fidelity=" + std::string(fidelity);
            const outcome run = sim({"run", scenario, "--out", out, "--waves", "-s", networks[network], "-s", choice});
            ASSERT_EQ(run.status, 0) << fidelity << ": " << run.err;
            const std::string core = "core" + std::to_string(network);
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place_ / core)) {
                const fs::path file = fs::relative(entry.path(), place_ / core);
                if (!entry.is_regular_file() || file == "run.json" || file == "scenario.yaml") continue;
                EXPECT_EQ(content(entry.path()), content(place_ / out / file)) << out / file;
            }
        }
    }
}

TEST_F(program, a_hanging_network_fails_with_a_diagnosis) {
    // Nothing can be delivered in two cycles.
    const outcome run =
        sim({"run", scenario, "--out", "out", "-s", "workload=[{name: load, kind: unicast, rate: 1/200}]", "-s",
             "network.topology.instances=1", "-s", "measurement={warmup: 0, window: 2000, drain_limit: 0}"});
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("not all was delivered within the drain limit of 0 cycles"), std::string::npos) << run.err;
    EXPECT_NE(run.out.find("1 FAILED"), std::string::npos);
    EXPECT_EQ(json::parse(content(place_ / "out" / "results.json"))["points"][0]["outcome"], "limit");
    EXPECT_TRUE(fs::exists(place_ / "out" / "waves" / "irregular-1-load-failure.fst"));
}

TEST_F(program, bad_input_ends_with_status_2_and_one_line) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"check", "none.yaml"}, "error: none.yaml: cannot be read; there is no such file\n"},
        {{"run", scenario, "-s", "sed=3"}, "error: -s sed=3: unknown key 'sed'; did you mean 'seed'?\n"},
        {{"run", scenario, "--frobnicate"},
         "error: The following argument was not expected: --frobnicate; polycast-sim --help\n"},
        {{"frobnicate"}, "error: A subcommand is required; polycast-sim --help\n"},
        {{"topology", scenario, "-n", "11"}, "error: --instance 11: the scenario has 10 networks\n"},
        {{"analyse", "plan", scenario, "--source", "host1", "--destinations", ""},
         "error: a multicast needs a destination; name at least one host\n"},
        {{"analyse", "kbinomial", "--nodes", "1", "--packets", "1"}, "error: --nodes 1: 2 to 1048576 are possible\n"},
        {{"analyse", "network-coding", "--k", "12"},
         "error: k = 12: XOR halving (base tree) needs a k that is a power of two; 8 or 16, or base all-at-once\n"},
        {{"analyse", "network-coding", "--k", "16", "--group", "24"},
         "error: groups of 24 nodes: no rectangles of this size fill 16x16 nodes; 16 or 32 do\n"},
        {{"analyse", "network-coding", "--k", "4", "--sources", "0"}, "error: --sources 0: 1 to 16 are possible\n"},
        {{"run", scenario, "--out", "/proc/nowhere"}, "error: /proc: cannot be written: No such file or directory\n"},
    };
    for (const auto& [arguments, message] : cases) {
        const outcome run = sim(arguments);
        EXPECT_EQ(run.status, 2) << message;
        EXPECT_EQ(run.err, message);
    }
    EXPECT_TRUE(entries().empty());
}

TEST_F(program, foreign_folders_are_left_alone) {
    fs::create_directories(place_ / "mine");
    std::ofstream(place_ / "mine" / "thesis.txt") << "years";
    const outcome run = sim({"run", scenario, "--out", "mine"});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.err,
              "error: mine: exists and is no results folder of polycast-sim; choose another --out, or remove it\n");
    EXPECT_EQ(content(place_ / "mine" / "thesis.txt"), "years");
}

TEST_F(program, two_runs_do_not_write_to_one_folder) {
    const pid_t first =
        start({"run", scenario, "--out", "out", "-s", "workload=[{name: load, kind: unicast, rate: 1/50}]", "-s",
               "measurement.window=1000000000"});
    for (int i = 0; i < 1000 && entries().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const outcome second = sim({"run", scenario, "--out", "out"});
    EXPECT_EQ(second.status, 2);
    EXPECT_THAT(second.err, testing::HasSubstr("another run writes its results there now; choose another --out"));
    ::kill(first, SIGKILL);
    finish(first);
    EXPECT_EQ(sim({"run", scenario, "--out", "out"}).status, 0) << "a killed run holds no name";
    EXPECT_EQ(entries(), std::vector<std::string>{"out"});
}

#ifndef __SANITIZE_ADDRESS__  // takes more addresses than this lets it have
TEST_F(program, running_out_of_memory_is_said_plainly) {
    const auto with = [](rlim_t bytes) {
        return [bytes] {
            const rlimit limit{bytes, RLIM_INFINITY};
            ::setrlimit(RLIMIT_AS, &limit);
        };
    };
    // Hosts send far more than their buses carry: no estimate knows how much of it waits.
    const outcome run = sim(
        {"run", POLYCAST_SCENARIOS "/load.yaml", "-s", "workload=[{name: u, kind: unicast, message: 64 KiB, rate: 1}]",
         "-s", "switch.flit=64 B", "-s", "measurement.window=200000 cycle", "--out", "out"},
        with(150'000'000));
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, testing::HasSubstr("out of memory; the run had "));
    EXPECT_TRUE(entries().empty());
    const outcome refused =
        sim({"run", POLYCAST_SCENARIOS "/fat_tree.yaml", "-s", "network.topology.nodes=4096", "--out", "out"},
            with(300'000'000));
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, testing::HasSubstr("a run needs about "));
    EXPECT_TRUE(entries().empty());
}
#endif

TEST_F(program, a_path_of_thousands_of_keys_is_refused) {
    std::string path = "b";
    for (int i = 0; i < 20000; ++i) path = "a." + path;
    for (const char* command : {"check", "sweep"}) {
        const outcome run = sim({command, scenario, "-s", path + "=[1, 2]"});
        EXPECT_EQ(run.status, 2) << command;
        EXPECT_THAT(run.err, testing::HasSubstr("goes down 20001 levels")) << command;
    }
    std::ofstream(place_ / "sweep.yaml") << "sweep:\n  ? " << path << "\n  : [1, 2]\n" << content(scenario);
    const outcome run = sim({"check", "sweep.yaml"});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, testing::HasSubstr("sweep.yaml:2:5: "));
}

TEST_F(program, check_refuses_what_run_refuses) {
    const auto scenario_of = [this](const std::string& network) {
        std::ofstream(place_ / "net.txt") << network;
        std::ofstream(place_ / "net.yaml") << "network: {topology: {kind: file, path: net.txt}}\n"
                                              "workload: [{name: u, kind: unicast, message: 64 B}]\n";
        return "net.yaml";
    };
    // Two ports are the least that a switch can have; what the file leaves open is no mistake.
    EXPECT_EQ(sim({"run", scenario_of("host x b\nhost y b\nlink a b\n"), "--out", "out"}).status, 0);
    for (const char* command : {"check", "run"}) {
        const outcome refused = sim({command, scenario_of("switch a 1\nhost x b\nhost y b\nlink a b\n")});
        EXPECT_EQ(refused.status, 2) << command;
        EXPECT_THAT(refused.err, testing::HasSubstr("'a': switch: ports must be 2..64, not 1")) << command;
    }
}

TEST_F(program, files_are_read_once) {
    std::ofstream(place_ / "pipe.yaml") << "network: {topology: {kind: file, path: pipe}}\n"
                                           "workload: [{name: u, kind: unicast, message: 64 B}]\n";
    ASSERT_EQ(::mkfifo((place_ / "pipe").c_str(), 0600), 0);
    const pid_t process = start({"run", "pipe.yaml", "--out", "out"});
    std::ofstream(place_ / "pipe") << "left right\nright far\n";
    EXPECT_EQ(finish(process, std::chrono::minutes(1)).status, 0);
    EXPECT_EQ(content(place_ / "out" / "topology" / "pipe"), "left right\nright far\n");
    EXPECT_EQ(sim({"run", "out/scenario.yaml", "--out", "again"}).status, 0);
    for (const char* file : {"results.json", "tables/links.csv"})
        EXPECT_EQ(content(place_ / "again" / file), content(place_ / "out" / file));
    // Nobody writes: it can be interrupted.
    const pid_t waiting = start({"run", "pipe.yaml", "--out", "other"});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(waiting, SIGTERM);
    EXPECT_EQ(finish(waiting, std::chrono::minutes(1)).status, 130);
}

TEST_F(program, a_full_disk_leaves_no_results) {
    const auto small = [] {
        const rlimit limit{20000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    };
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--waves"}, {"--waves", "-s", "network.fidelity=tlm"}}) {
        std::vector<std::string> arguments{"run", scenario, "--out", "out"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const outcome run = sim(arguments, small);
        EXPECT_EQ(run.status, 2) << run.err;
        EXPECT_TRUE(run.err.starts_with("error: ")) << run.err;
        EXPECT_NE(run.err.find("File too large"), std::string::npos) << run.err;
        EXPECT_TRUE(entries().empty());
    }
}

TEST_F(program, ctrl_c_leaves_no_results) {
    for (const char* fidelity : {"core", "tlm"}) {
        const pid_t process =
            start({"run", scenario, "--out", "out", "-s", "workload=[{name: load, kind: unicast, rate: 1/50}]", "-s",
                   "measurement.window=1000000000", "-s", "network.fidelity=" + std::string(fidelity)});
        for (int i = 0; i < 1000 && entries().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        ::kill(process, SIGINT);
        const outcome run = finish(process, std::chrono::minutes(2));
        EXPECT_EQ(run.status, 130) << fidelity;
        EXPECT_EQ(run.err, "interrupted; no results written\n");
        EXPECT_TRUE(entries().empty()) << fidelity;
    }
}

TEST_F(program, compilers_end_with_it) {
    // Stands for CMake: one that says who it is and goes on for minutes, with all signals as they came.
    fs::create_directories(place_ / "tools");
    std::ofstream(place_ / "tools" / "cmake")
        << "#!/bin/sh\necho $$ > " << (place_ / "builder").string() << ".new; mv " << (place_ / "builder").string()
        << ".new " << (place_ / "builder").string() << "; exec sleep 300\n";
    fs::permissions(place_ / "tools" / "cmake", fs::perms::owner_all);
    const auto with_tools = [this] {
        ::setenv("PATH", ((place_ / "tools").string() + ":" + std::getenv("PATH")).c_str(), 1);
        ::setenv("POLYCAST_MODEL_CACHE", (place_ / "models").c_str(), 1);
    };
    for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
        const fs::path builder = place_ / "builder";
        fs::remove(builder);
        const pid_t process = start({"run", scenario, "--out", "out", "-s", "network.fidelity=rtl"}, with_tools);
        for (int i = 0; i < 1000 && !fs::exists(builder); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const pid_t child = std::stoi(content(builder));
        EXPECT_EQ(::kill(child, 0), 0);
        ::kill(process, signal);
        finish(process, std::chrono::minutes(1));
        bool gone = false;
        for (int i = 0; i < 500 && !gone; ++i) {
            // Nobody may wait for it in a container: it is gone when it is a zombie, too.
            const std::string state = content("/proc/" + std::to_string(child) + "/stat");
            gone = state.empty() || state.find(") Z ") != std::string::npos;
            if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_TRUE(gone) << "signal " << signal;
        if (!gone) ::kill(child, SIGKILL);
    }
}

TEST_F(program, informs) {
    EXPECT_EQ(sim({"--version"}).out.rfind("polycast-sim ", 0), 0u);
    EXPECT_NE(sim({"--help"}).out.find("Exit status"), std::string::npos);
    EXPECT_EQ(json::parse(sim({"schema"}).out)["title"], "polycast scenario");
    EXPECT_NE(sim({"schema", "--markdown"}).out.find("| `switch.buffer` |"), std::string::npos);
    const std::string good = sim({"check", scenario}).out;
    EXPECT_EQ(good.rfind(scenario + ": good: 10 networks of 8 switches and 32 hosts, 2 workloads\n  about ", 0), 0u);
    EXPECT_NE(good.find(" of memory, and for each run at once "), std::string::npos);
    EXPECT_GT(json::parse(sim({"check", scenario, "--json"}).out)["memory_bytes"], 10'000'000);
    EXPECT_NE(sim({"topology", scenario}).out.find("hosts             32"), std::string::npos);
    EXPECT_EQ(json::parse(sim({"topology", scenario, "--json"}).out)["hosts"].size(), 32u);
    EXPECT_EQ(sim({"topology", scenario, "--dot"}).out.rfind("digraph", 0), 0u);
    const outcome file = sim({"topology", POLYCAST_DATA_DIR "/ft3l4a.ibnetdiscover"});
    EXPECT_EQ(file.status, 0);
    EXPECT_NE(file.out.find("hosts             64"), std::string::npos);
}

}  // namespace
