// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hw/input_error.h"
#include "tlm/scenario/schema.h"
#include "tlm/scenario/sweep.h"
#include "tlm/sim/advise_command.h"
#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/sim/campaign/campaign_command.h"
#include "tlm/sim/fabric_command.h"
#include "tlm/sim/memory.h"
#include "tlm/sim/networks/router_params.h"
#include "tlm/sim/program_command.h"
#include "tlm/sim/run.h"
#include "tlm/sim/sweep.h"
#include "tlm/sim/topology_command.h"
#include "tlm/sim/usage.h"

namespace polycast::tlm::sim {

namespace {

constexpr const char* about =
    "polycast-sim simulates networks of replicating switches, cycle by cycle, from a scenario file.\n"
    "\n"
    "  polycast-sim run testbench/scenarios/first_light.yaml\n"
    "  polycast-sim run my.yaml -s network.fidelity=rtl -s workload.tree.degree=7 --out results/deg7\n"
    "  polycast-sim check my.yaml            says what is wrong with it, and runs nothing\n"
    "  polycast-sim sweep my.yaml -s seed=1..10   lists the runs of a sweep\n"
    "  polycast-sim topology my.yaml         describes the network; --dot draws it\n"
    "  polycast-sim analyse plan my.yaml --source host0 --destinations host3,host7\n"
    "                                        who sends what to whom, by each scheme\n"
    "  polycast-sim fabric check dumps       checks forwarding tables of an InfiniBand fabric\n"
    "  polycast-sim program run app.goal     runs the communication of an application on the LogGOPS model\n"
    "  polycast-sim schema --markdown        explains every key of a scenario\n";

constexpr const char* statuses =
    "Exit status: 0 all was delivered as it should be; 1 a delivery check failed; 2 bad input, or results cannot be "
    "written;\n"
    "130 interrupted. A run writes its results folder whole or not at all.";

/// Result of the route check; it is the same for every workload except for classes and copies.
std::string routes_text(const scenario::loaded& scenario) {
    std::string text;
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i) {
        if (scenario.values.workloads[i].kind == scenario::traffic_kind::broadcast) continue;
        const router_needs needs = needs_of(scenario, i);
        const hw::fabric::fabric_params params = fabric_params_of(scenario, needs);
        const hw::routing::router_check_result routes = check_routes(params, needs);
        const std::string line = fmt::format(
            "dimension order, {} virtual channels of {} flits, packets of at most {}: {} channels, {} dependencies "
            "between them, no cycle",
            params.router.vcs, params.router.vc_flits, params.tables.packet_limit, routes.channels,
            routes.dependencies);
        if (text.find(line) == std::string::npos) text += "  " + line + "\n";
    }
    return text;
}

struct check_options {
    std::string file;
    std::vector<std::string> writer;
    std::vector<std::string> overrides;
    bool json = false;
};

/// Memory of a run alone in its process.
std::uint64_t memory_alone(const memory_estimate& memory) {
    return memory.kept + memory.run();
}

/// All runs of a sweep, or the single run.
int check(const check_options& options) {
    const std::string& file = options.file;
    std::size_t runs = 0;
    std::uint64_t most = 0;
    const auto show_json = [&] {
        nlohmann::json shown{
            {"runs", std::max<std::size_t>(runs, 1)}, {"memory_bytes", most}, {"memory_left_bytes", memory_left()}};
        fmt::print("{}\n", shown.dump());
        return 0;
    };
    const auto check_one = [&](const scenario::sweep_run& run) {
        try {
            const std::vector<instance> instances = make_instances(run.scenario);
            const memory_estimate memory = memory_of(run.scenario, instances);
            runs_at_once(run.scenario, memory, 1);
            most = std::max(most, memory_alone(memory));
        } catch (const hw::input_error& bad) {
            throw hw::input_error(std::string(bad.what()) + " (in the run " + run.name + ")");
        }
        ++runs;
    };
    const std::string writer = words_text(options.writer);
    if (!scenario::for_each_run(file, options.overrides, check_one, writer).empty()) {
        if (options.json) return show_json();
        fmt::print("{}: good: {} run{}\n  about {} of memory for each\n", file, runs, runs == 1 ? "" : "s",
                   size_text(most));
        return 0;
    }
    const scenario::loaded scenario = scenario::load_file(file, options.overrides, writer);
    const std::vector<instance> instances = make_instances(scenario);
    const memory_estimate memory = memory_of(scenario, instances);
    runs_at_once(scenario, memory, 1);
    most = memory_alone(memory);
    if (options.json) return show_json();
    const network_size first = instances.front().size();
    const bool routers = scenario.values.network.topology.has_routers();
    fmt::print("{}: good: {} network{} of {} {} and {} hosts, {} workload{}\n", file, instances.size(),
               instances.size() == 1 ? "" : "s", first.switches, routers ? "routers" : "switches", first.hosts,
               scenario.values.workloads.size(), scenario.values.workloads.size() == 1 ? "" : "s");
    fmt::print("  about {} of memory, and for each run at once {}\n", size_text(memory.kept), memory.text());
    if (scenario.values.host.model == scenario::host_model::ideal) fmt::print("{}", routes_text(scenario));
    return 0;
}

/// The tool request of a host, which gets the instruction-set simulator.
tool_request& tools_of(run_options& options, const std::string& host) {
    for (tool_request& wish : options.tools) {
        if (wish.host == host) return wish;
    }
    options.overrides.push_back("ni.hosts." + host + "=iss");
    return options.tools.emplace_back(tool_request{host, {}, {}, {}});
}

/// "host3", or "host3:1234". \throws hw::input_error for a port that is none
void add_gdb(run_options& options, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::uint16_t port = 0;
    if (colon != std::string::npos) {
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
        if (error != std::errc{} || stop != end)
            throw hw::input_error("--gdb " + text + ": '" + text.substr(colon + 1) + "' is no port number",
                                  "such as --gdb " + text.substr(0, colon) + ":3333");
    }
    tools_of(options, text.substr(0, colon)).gdb = port;
}

void add_tools(run_options& options, const std::string& gdb, const std::string& profile,
               const std::string& instructions) {
    if (!gdb.empty()) add_gdb(options, gdb);
    for (const std::string& host : names_in(profile))
        tools_of(options, host).profile = std::filesystem::path("firmware") / (host + "-profile.txt");
    for (const std::string& host : names_in(instructions))
        tools_of(options, host).instructions = std::filesystem::path("firmware") / (host + "-instructions.txt");
}

/// "dropped", "dropped:4711", "dropped:4711@switch3"; for latency and full cycles instead of a packet, for fault a
/// port: "fault:switch1:3".
void add_trigger(run_options& options, const std::string& text) {
    const std::size_t at = text.find('@');
    const std::size_t colon = std::min(text.find(':'), at);
    const std::string event = text.substr(0, colon);
    const std::string what = colon == at ? "" : text.substr(colon + 1, at == std::string::npos ? at : at - colon - 1);
    const std::string key = "trace.trigger.";
    options.overrides.push_back(key + "event=" + event);
    if (event == "latency" || event == "full") {
        if (!what.empty()) options.overrides.push_back(key + "cycles=" + what + " cycle");
    } else if (event == "fault") {
        if (!what.empty()) options.overrides.push_back(key + "chip=" + what);
    } else if (!what.empty()) {
        options.overrides.push_back(key + "packet=" + what);
    }
    if (at != std::string::npos) options.overrides.push_back(key + "chip=" + text.substr(at + 1));
}

/// For commands of scripts/polycast that make scenarios.
void add_writer(CLI::App& command, std::vector<std::string>& writer) {
    command
        .add_option("--written-by", writer,
                    "A word of the command that has written the scenario, of which nobody knows the file: messages and "
                    "results name the command, and paths start at the current folder. Once for each word")
        ->type_name("WORD")
        ->allow_extra_args(false);
}

/// "all", or names with commas between.
std::string wave_override(const std::string& chips) {
    return "trace.chips=" + (chips == "all" ? chips : "[" + chips + "]");
}

}  // namespace

int run_command_line(int count, const char* const* arguments, const factory_maker& make_factory) {
    CLI::App app(about, "polycast-sim");
    app.footer(statuses);
    app.set_version_flag("--version", "polycast-sim " POLYCAST_VERSION);
    app.require_subcommand(1);

    run_options run_with;
    run_with.command.assign(arguments, arguments + count);
    std::string waves;
    std::string progress_name = "text";
    CLI::App* run_command = app.add_subcommand("run",
                                               "Simulate every workload of a scenario on every network of it, check "
                                               "each delivery, and write a results folder.");
    run_command->add_option("scenario", run_with.scenario, "Scenario file (YAML)")->required();
    add_overrides(*run_command, run_with.overrides);
    add_writer(*run_command, run_with.writer);
    run_command
        ->add_option("-o,--out", run_with.out,
                     "Results folder; an earlier one is replaced. Default: results/<name of the scenario>")
        ->type_name("DIR");
    run_command->add_flag("-w{all},--waves{all}", waves,
                          "Write waves of all chips, or with --waves=switch3,switch5 of those; `trace` in the scenario "
                          "says when, of how many networks, and in what format");
    std::string trigger;
    run_command
        ->add_option("--trigger", trigger,
                     "Write waves of the cycles around one event only, of all chips or those of --waves: "
                     "dropped, dropped:4711@switch3 (packet, chip), latency:500, full:100@switch3 (cycles), fault, "
                     "fault:switch1:3 (the wire from a port), ..; `trace.trigger` in the scenario says the rest")
        ->type_name("EVENT[:PACKET][@CHIP]");
    bool packets = false;
    run_command->add_flag("--packets", packets,
                          "Log the passage of every packet over every link: trace.packets=true; "
                          "`scripts/polycast why` reads it");
    run_command
        ->add_option("-j,--jobs", run_with.jobs,
                     "Points simulated at once; default: one per core. Results do not depend on it.")
        ->check(CLI::Range(1u, 4096u));
    run_command
        ->add_option("--progress", progress_name,
                     "How to tell the progress on stderr: text, json (a line per point) or none")
        ->check(CLI::IsMember({"text", "json", "none"}))
        ->type_name("FORMAT");

    std::string gdb;
    std::string profile;
    std::string instructions;
    CLI::Option* gdb_option =
        run_command
            ->add_option("--gdb", gdb,
                         "Debug the firmware of this host's interface, on the first network: waits for gdb on the "
                         "loopback address, by default on any free port")
            ->type_name("HOST[:PORT]");
    run_command
        ->add_option("--profile", profile,
                     "Write cycles by function and the depth of the stack of this host's interface to firmware/ in "
                     "the results folder; several with commas")
        ->type_name("HOST");
    run_command
        ->add_option("--instructions", instructions,
                     "Write every instruction of this host's interface, likewise; the first million")
        ->type_name("HOST");

    check_options check_with;
    CLI::App* check_command = app.add_subcommand(
        "check",
        "Find out whether a scenario can run: keys, names, sizes, routes, deadlock, memory. Nothing is simulated.");
    check_command->add_option("scenario", check_with.file, "Scenario file (YAML)")->required();
    add_overrides(*check_command, check_with.overrides);
    add_writer(*check_command, check_with.writer);
    check_command->add_flag("--json", check_with.json,
                            "Print number of runs, memory of the largest and memory left, in bytes, as JSON");

    std::string sweep_file;
    std::vector<std::string> sweep_overrides;
    std::vector<std::string> sweep_writer;
    CLI::App* sweep_command = app.add_subcommand(
        "sweep",
        "Check every run that `sweep` in a scenario, or lists and ranges in -s, stand for, and print "
        "them as JSON; `scripts/polycast run` runs them.");
    sweep_command->add_option("scenario", sweep_file, "Scenario file (YAML)")->required();
    add_overrides(*sweep_command, sweep_overrides);
    add_writer(*sweep_command, sweep_writer);

    bool markdown = false;
    CLI::App* schema_command = app.add_subcommand("schema", "Print the JSON Schema of scenarios, for editors.");
    schema_command->add_flag("--markdown", markdown, "Print a reference page for people instead");

    const topology_command topology(app);
    const analyse_command analyse(app);
    const fabric_command fabric(app);
    const program_command program(app);
    const advise_command advice(app);
    const campaign_command campaigns(app, make_factory);

    try {
        app.parse(count, arguments);
    } catch (const CLI::Success& information) {
        return app.exit(information);
    } catch (const CLI::ParseError& wrong) {
        throw hw::input_error(wrong.what(), "polycast-sim --help");
    }
    if (*run_command) {
        if (progress_name == "json") run_with.progress = progress_format::json;
        if (progress_name == "none") run_with.progress = progress_format::none;
        if (!waves.empty()) run_with.overrides.push_back(wave_override(waves));
        if (!trigger.empty()) add_trigger(run_with, trigger);
        if (packets) run_with.overrides.push_back("trace.packets=true");
        add_tools(run_with, gdb, profile, instructions);
        if (*gdb_option) run_with.jobs = 1;
        return run(run_with, make_factory);
    }
    if (*check_command) return check(check_with);
    if (*sweep_command) {
        fmt::print("{}\n", sweep_json(sweep_file, sweep_overrides, words_text(sweep_writer)).dump());
        return 0;
    }
    if (*schema_command) {
        fmt::print("{}", markdown ? scenario::markdown_reference() : scenario::json_schema().dump(2) + "\n");
        return 0;
    }
    if (analyse.chosen()) return analyse.run();
    if (campaigns.chosen()) return campaigns.run();
    if (fabric.chosen()) return fabric.run();
    if (program.chosen()) return program.run();
    if (advice.chosen()) return advice.run();
    return topology.run();
}

}  // namespace polycast::tlm::sim
