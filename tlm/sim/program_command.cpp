// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/program_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "hw/collectives/algorithm_table.h"
#include "hw/collectives/definition.h"
#include "hw/collectives/expand.h"
#include "hw/input_error.h"
#include "hw/programs/check.h"
#include "hw/programs/goal_form.h"
#include "hw/programs/program_file.h"
#include "hw/programs/summary.h"
#include "hw/topology/text_file.h"
#include "tlm/scenario/quantity.h"
#include "tlm/sim/analyse/choice.h"
#include "tlm/sim/json_file.h"
#include "tlm/sim/progress.h"

namespace polycast::tlm::sim {
namespace {

namespace programs = hw::programs;
using json = nlohmann::ordered_json;

template <typename table>
std::string words_of(const table& names) {
    std::string text;
    for (const auto& one : names) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.name, one.doc);
    return text;
}

std::uint64_t number_in(std::string_view text, const std::string& what) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        throw hw::input_error(fmt::format("{}: expected a whole number, found '{}'", what, text));
    return value;
}

/// "16 KiB", "70000"; a schedule knows no flits.
std::uint64_t bytes_in(const std::string& text, const std::string& what) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    const auto given = scenario::parse_quantity(text);
    std::optional<scenario::exact> bytes;
    if (given && given->unit != "flit") bytes = scenario::to_base(*given, scenario::dimension::bytes, {});
    if (!bytes || bytes->denominator() != 1 || *bytes < 0 || *bytes > most)
        throw hw::input_error(
            fmt::format("{}: expected a whole number of bytes up to 1024 GiB, found '{}'", what, text),
            "16 KiB, for instance");
    return bytes->numerator().convert_to<std::uint64_t>();
}

/// "1 ns", in picoseconds.
std::uint64_t picoseconds_in(const std::string& text, const std::string& what) {
    constexpr std::int64_t most = 1'000'000'000'000;
    const auto given = scenario::parse_quantity(text);
    std::optional<scenario::exact> time;
    if (given) time = scenario::to_base(*given, scenario::dimension::period, {});
    if (time) *time *= 1000;
    if (!time || time->denominator() != 1 || *time < 1 || *time > most)
        throw hw::input_error(fmt::format("{}: expected a time of 1 ps to 1 s, found '{}'", what, text),
                              "1 ns, for instance");
    return time->numerator().convert_to<std::uint64_t>();
}

/// "L=2500,o=1500,...", what is left out keeps its default; o_receive follows o.
programs::loggops_parameters loggops_in(const std::string& text) {
    programs::loggops_parameters made;
    const std::pair<std::string, std::uint64_t*> known[] = {
        {"L", &made.L}, {"o", &made.o}, {"o_receive", &made.o_receive}, {"g", &made.g}, {"G", &made.G},
        {"O", &made.O}, {"S", &made.S}};
    bool receive_told = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string one = text.substr(begin, end - begin);
        const std::string name = one.substr(0, one.find('='));
        const auto* const found = std::ranges::find(known, name, [](const auto& each) { return each.first; });
        if (found == std::end(known) || name.size() == one.size())
            throw hw::input_error("--loggops: expected NAME=NUMBER, found '" + one + "'",
                                  "known: L, o, o_receive, g, G, O, S, with commas between");
        *found->second = number_in(one.substr(name.size() + 1), "--loggops: " + name);
        receive_told = receive_told || name == "o_receive";
        begin = end + 1;
    }
    if (!receive_told) made.o_receive = made.o;
    return made;
}

std::string mean(std::uint64_t sum, std::uint64_t of) {
    return fmt::format("{:.1f}", static_cast<double>(sum) / static_cast<double>(of));
}

json balance_json(const programs::balance& of) {
    return {{"least", of.least}, {"most", of.most}, {"sum", of.sum}};
}

std::string size_text(const programs::collective& of) {
    return fmt::format("{} of {} {}{}", hw::name_in(programs::collective_kinds, of.kind), of.elements,
                       hw::name_in(programs::element_types, of.combined.type), of.in_place ? ", in place" : "");
}

/// What the bytes in the end are, by the interpreter; nothing where no collective says what they have to be.
using wrong = std::optional<hw::collectives::definition_result>;

wrong results_of(const programs::program& of) {
    constexpr std::uint64_t seed = 1;
    if (!of.computes()) return std::nullopt;
    return hw::collectives::interpret_and_compare(of, seed);
}

json summary_json(const programs::summary& of) {
    json made{{"ranks", of.ranks}, {"operations", of.operations}, {"dependencies", of.dependencies}};
    made["kinds"] = json::object();
    for (const auto& one : programs::operation_kinds)
        made["kinds"][std::string(one.name)] = of.by_kind[static_cast<std::size_t>(one.value)];
    if (of.multicasts != 0) made["multicasts"] = of.multicasts;
    made["bytes"] = of.bytes;
    made["shortest"] = of.shortest;
    made["longest"] = of.longest;
    made["lengths"] = json::object();
    for (const auto& [from, count] : of.lengths) made["lengths"][std::to_string(from)] = count;
    made["operations_of_rank"] = balance_json(of.operations_of_rank);
    made["sent_by_rank"] = balance_json(of.sent_by_rank);
    made["received_by_rank"] = balance_json(of.received_by_rank);
    made["time_of_rank"] = balance_json(of.time_of_rank);
    made["cpus"] = of.cpus;
    made["channels"] = of.channels;
    made["from_any"] = of.from_any;
    made["to_itself"] = of.to_itself;
    made["longest_chain"] = of.longest_chain ? json(*of.longest_chain) : json(nullptr);
    return made;
}

void print_summary(const std::string& file, const programs::summary& of) {
    const auto balance_line = [&](const char* what, const programs::balance& one) {
        fmt::print("{:<26}{} to {}, mean {}\n", what, one.least, one.most, mean(one.sum, of.ranks));
    };
    fmt::print("{}: {} ranks, {} operations, {} dependencies\n", file, of.ranks, of.operations, of.dependencies);
    std::string kinds;
    for (const auto& one : programs::operation_kinds)
        if (const std::uint64_t count = of.by_kind[static_cast<std::size_t>(one.value)])
            kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, one.name);
    fmt::print("{:<26}{}\n", "operations", kinds.empty() ? "none" : kinds);
    if (of.multicasts != 0) fmt::print("{:<26}{}\n", "multicasts of these sends", of.multicasts);
    if (of.from_any != 0) fmt::print("{:<26}{}\n", "receives from anybody", of.from_any);
    if (of.to_itself != 0) fmt::print("{:<26}{}\n", "messages to the own rank", of.to_itself);
    if (!of.lengths.empty()) {
        fmt::print("{:<26}{} bytes in all, each {} to {}\n", "messages", of.bytes, of.shortest, of.longest);
        std::string lengths;
        for (const auto& [from, count] : of.lengths)
            lengths += fmt::format("{}{}{}: {}", lengths.empty() ? "" : ", ", from, from < 2 ? "" : "..", count);
        fmt::print("{:<26}{}\n", "messages by bytes", lengths);
    }
    balance_line("operations of a rank", of.operations_of_rank);
    balance_line("bytes sent by a rank", of.sent_by_rank);
    balance_line("bytes received by a rank", of.received_by_rank);
    balance_line("time computed by a rank", of.time_of_rank);
    if (of.cpus > 1 || of.channels > 1) fmt::print("{:<26}{} and {}\n", "processors, NICs", of.cpus, of.channels);
    fmt::print("{:<26}{}\n", "longest chain of messages",
               of.longest_chain ? std::to_string(*of.longest_chain) : "none: a circular wait, see `program check`");
}

json result_json(const programs::program& of, const programs::loggops_result& result, const wrong& bytes) {
    json made{{"fidelity", "loggops"}, {"outcome", result.stuck ? "stuck" : "complete"}};
    made["ranks"] = of.ranks();
    made["operations"] = of.operations();
    made["messages"] = result.messages;
    made["bytes"] = result.bytes;
    made["finish"] = {{"time", result.latest()}, {"rank", result.last_rank()}, {"sum", result.sum()}};
    made["unexpected"] = result.unexpected_peak;
    made["events"] = result.events;
    made["waiting"] = result.waiting;
    made["report"] = result.report;
    made["unit_ps"] = of.unit();
    if (bytes) made["wrong_results"] = bytes->wrong;
    if (bytes && bytes->first) made["first_wrong_result"] = hw::collectives::wrong_text(*of.computes(), *bytes->first);
    made["ranks_finish"] = result.finish;
    return made;
}

}  // namespace

program_command::program_command(CLI::App& app)
    : command_(app.add_subcommand("program",
                                  "Communication of an application: GOAL schedules, connection matrices of htsim, "
                                  "algorithms of MSCCL, Chakra traces.")) {
    command_->require_subcommand(1);
    show_ = add("show", "Describe a program: operations, messages by length, balance of the ranks, longest chain.");
    check_ = add("check",
                 "Find out whether a program can run: messages without receives, lengths that differ, operations that "
                 "wait for each other. Nothing is simulated. Exit status: 0 good, 1 problems, 2 refused.");
    convert_ = add("convert", "Write a program in another form; reading it gives the same program.");
    CLI::App* const run =
        add("run",
            "Run a program on the reference machine, the LogGOPS model: no chips, seconds for millions of "
            "operations. Exit status: 0 it ended, 1 it is stuck, 2 refused.");
    add_fit();
    for (CLI::App* one : {show_, check_, run})
        one->add_option("--json", json_, "Write the result as JSON; - prints it in place of the text")
            ->type_name("FILE");
    for (CLI::App* one : {check_, run})
        one->add_option("--races", races_,
                        "refuse: two operations that touch the same bytes without a path between them are a problem; "
                        "allow; default: refuse")
            ->type_name("refuse|allow");
    for (CLI::App* one : {check_, convert_, run})
        one->add_option("--algorithms", algorithms_,
                        "Chakra: of which algorithms collectives are made: allreduce=doubling,default=auto")
            ->type_name("COLLECTIVE=ALGORITHM,...");
    check_->add_option("--eager", eager_, "Longest message that is sent without asking; default: 16 KiB")
        ->type_name("SIZE");
    convert_->add_option("target", target_, "File to write")->required()->type_name("FILE");
    convert_
        ->add_option("--to", to_,
                     "Form: " + words_of(programs::written_formats) + "; default: binary for .bin, else text")
        ->type_name("FORMAT");
    convert_
        ->add_option(
            "--to-unit", to_unit_,
            "What a 1 of written times stands for; default: 1 ns, as in all GOAL. Where it is read, --unit has "
            "to say another one")
        ->type_name("TIME");
    run->add_option("--loggops", loggops_,
                    "Parameters, in the program's unit of time; default: L=2500,o=1500,g=1000,G=6,O=0,S=65535; "
                    "o_receive as o")
        ->type_name("NAME=NUMBER,...");
}

void program_command::add_fit() {
    fit_ = command_->add_subcommand(
        "fit",
        "Find overheads and the rate of the links of a machine from times that nccl-tests have measured at two sizes, "
        "and compare the reference machine with all others.");
    fit_->add_option("file", fit_with_.file, "CSV with the columns of nccl-tests; time in us")
        ->required()
        ->type_name("FILE");
    fit_->add_option("--collective", fit_with_.collective, "Which; default: allreduce")->type_name("NAME");
    fit_->add_option("--algorithm", fit_with_.algorithm, "Algorithm of the library")->required()->type_name("NAME");
    fit_->add_option("--at", fit_with_.at, "Two sizes of the file")->required()->type_name("SIZE,SIZE");
    fit_->add_option("--ranks", fit_with_.ranks, "Ranks; default: 8")->check(CLI::Range(2u, 65536u));
    fit_->add_option("--type", fit_with_.type, "Elements: " + words_of(programs::element_types) + "; default: f32")
        ->type_name("TYPE");
    fit_->add_option("--link", fit_with_.link, "Rate of the links, if it is known; then that of reductions is fitted")
        ->type_name("RATE");
    fit_->add_option("--json", fit_with_.json, "Write the result as JSON; - prints it in place of the text")
        ->type_name("FILE");
}

CLI::App* program_command::add(const char* name, const char* about) {
    CLI::App* const made = command_->add_subcommand(name, about);
    made->add_option("file", file_, "File of a program; P for a Chakra trace P.0.et, P.1.et, ..")
        ->required()
        ->type_name("FILE");
    made->add_option("--format", format_, "Format: " + words_of(programs::program_formats) + "; default: by content")
        ->type_name("FORMAT");
    made->add_option("--nics", nics_, "What numbers of NICs mean: " + words_of(programs::nic_meanings))
        ->type_name("one|hosts");
    made->add_option("--unit", unit_, "What a 1 of times stands for; default: 1 ns, in matrices of htsim 1 ps")
        ->type_name("TIME");
    made->add_option("--piece", piece_, "htsim: longest message that a connection is cut into; default: one message")
        ->type_name("SIZE");
    made->add_option("--size", size_,
                     "MSCCL: bytes of the larger buffer of a rank; default: the least that the algorithm is for")
        ->type_name("SIZE");
    made->add_option("--type", type_, "MSCCL: elements: " + words_of(programs::element_types) + "; default: f32")
        ->type_name("TYPE");
    made->add_option("--reduction", reduction_,
                     "MSCCL: " + words_of(programs::reductions) + "; default: as the file says, else sum")
        ->type_name("NAME");
    made->add_option("--slice", slice_, "MSCCL: bytes of a chunk that a pass of all steps takes; default: all")
        ->type_name("SIZE");
    made->add_flag("--ignore-range", ignore_range_, "MSCCL: sizes that the algorithm is not for are taken");
    made->add_option("--ranks", ranks_, "Chakra: ranks that execute a trace of one file")->type_name("NUMBER");
    made->add_option("--groups", groups_, "Chakra: JSON file of groups; default: those that the trace lists")
        ->type_name("FILE");
    made->add_option(
            "--streams", streams_,
            "Chakra: what keeps order beside dependencies: " + words_of(programs::stream_orders) + "; default: serial")
        ->type_name("ORDER");
    made->add_option("--repair", repair_,
                     "Chakra: a trace whose dependencies cannot be met: " + words_of(programs::trace_repairs) +
                         "; default: refuse")
        ->type_name("refuse|drop");
    made->add_option("--compute", compute_,
                     "Chakra: how long compute nodes take: " + words_of(programs::compute_times) + "; default: trace")
        ->type_name("trace|roofline");
    made->add_option("--peak", peak_, "Chakra: operations per second of roofline: 100e12")->type_name("NUMBER");
    made->add_option("--memory", memory_, "Chakra: how fast the memory is: 2000 GB/s")->type_name("RATE");
    return made;
}

programs::chakra_options program_command::chakra() const {
    constexpr std::uint64_t most_rate = 1'000'000'000'000'000'000;
    programs::chakra_options made;
    if (!ranks_.empty()) {
        const std::uint64_t ranks = number_in(ranks_, "--ranks");
        if (ranks == 0 || ranks > programs::most_ranks)
            throw hw::input_error(fmt::format("--ranks: expected 1 to {}, found {}", programs::most_ranks, ranks));
        made.ranks = static_cast<std::uint32_t>(ranks);
    }
    if (!streams_.empty()) made.streams = choice("--streams", streams_, programs::stream_orders);
    if (!repair_.empty()) made.repair = choice("--repair", repair_, programs::trace_repairs);
    if (!compute_.empty()) made.compute = choice("--compute", compute_, programs::compute_times);
    const auto rate = [&](const std::string& text, const char* what, scenario::dimension of, const char* example) {
        const auto given = scenario::parse_quantity(text);
        const auto held = given ? scenario::to_base(*given, of, {}) : std::nullopt;
        if (!held || held->denominator() != 1 || *held < 1 || *held > most_rate)
            throw hw::input_error(fmt::format("{}: expected 1 to 10^18 a second, found '{}'", what, text),
                                  fmt::format("{}, for instance", example));
        return held->numerator().convert_to<std::uint64_t>();
    };
    if (!peak_.empty()) made.peak = rate(peak_, "--peak", scenario::dimension::none, "100e12");
    if (!memory_.empty()) made.memory = rate(memory_, "--memory", scenario::dimension::line_rate, "2000 GB/s");
    if (!groups_.empty()) made.groups = {groups_, hw::topology::read_text_file(groups_, "file of groups")};
    return made;
}

/// What runs: collectives of a trace are messages.
programs::program program_command::expanded() const {
    const hw::collectives::algorithm_table table = hw::collectives::algorithms_in(algorithms_, "--algorithms");
    programs::program made = read();
    if (!hw::collectives::has_collectives(made)) return made;
    return hw::collectives::expand_collectives(
               made, [&](const programs::collective& of, auto) -> const auto& { return table.choose(of.kind); })
        .made;
}

programs::program program_command::read() const {
    programs::read_options options;
    if (!nics_.empty()) options.nics = choice("--nics", nics_, programs::nic_meanings);
    if (!unit_.empty()) options.unit = picoseconds_in(unit_, "--unit");
    if (!piece_.empty()) options.piece = bytes_in(piece_, "--piece");
    if (!size_.empty()) options.size = bytes_in(size_, "--size");
    if (!type_.empty()) options.type = choice("--type", type_, programs::element_types);
    if (!reduction_.empty()) options.how = choice("--reduction", reduction_, programs::reductions);
    if (!slice_.empty()) options.slice = bytes_in(slice_, "--slice");
    options.ignore_range = ignore_range_;
    options.chakra = chakra();
    options.warn = [](const std::string& text) { fmt::print(stderr, "warning: {}\n", hw::printable(text)); };
    std::optional<programs::program_format> format;
    if (format_ != "auto") format = choice("--format", format_, programs::program_formats);
    return programs::read_program(file_, options, format);
}

int program_command::run() const {
    if (*show_) return show();
    if (*check_) return check();
    if (*convert_) return convert();
    if (*fit_) return fit_measured(fit_with_);
    return execute();
}

bool program_command::races_are_problems() const {
    constexpr hw::named<bool> known[] = {{true, "refuse"}, {false, "allow"}};
    return races_.empty() || choice("--races", races_, known);
}

int program_command::show() const {
    const programs::program shown = read();
    const programs::summary found = programs::summarise(shown);
    const std::string computes = shown.computes() ? size_text(*shown.computes()) : "";
    if (!json_.empty()) {
        json made = summary_json(found);
        made["unit_ps"] = shown.unit();
        if (const programs::repair_counts& left_out = shown.repaired(); left_out.all() != 0)
            made["repaired"] = {{"absent", left_out.absent}, {"self", left_out.self}, {"later", left_out.later}};
        made["computes"] = shown.computes() ? json(computes) : json(nullptr);
        write_json(json_, made);
    }
    if (json_ != "-") {
        print_summary(file_, found);
        if (shown.unit() != programs::default_unit) fmt::print("{:<26}{} ps\n", "unit of times", shown.unit());
        if (!computes.empty()) fmt::print("{:<26}{}\n", "computes", computes);
    }
    return 0;
}

int program_command::check() const {
    programs::check_options options;
    if (!eager_.empty()) options.eager = bytes_in(eager_, "--eager");
    options.races = races_are_problems();
    const programs::program checked = expanded();
    const programs::check_result found = programs::check(checked, options);
    if (!json_.empty()) write_json(json_, {{"problems", found.problems}, {"problems_found", found.problems_found}});
    if (json_ != "-") {
        for (const std::string& one : found.problems) fmt::print("{}: {}\n", file_, hw::printable(one));
        if (found.problems_found > found.problems.size())
            fmt::print("{}: and {} more problems\n", file_, found.problems_found - found.problems.size());
        if (found.good())
            fmt::print("{}: good: {} ranks, {} operations\n", file_, checked.ranks(), checked.operations());
    }
    return found.good() ? 0 : 1;
}

int program_command::convert() const {
    auto form = std::filesystem::path(target_).extension() == ".bin" ? programs::program_format::goal_binary
                                                                     : programs::program_format::goal;
    if (!to_.empty()) form = choice("--to", to_, programs::program_formats);
    const std::uint64_t unit = to_unit_.empty() ? programs::default_unit : picoseconds_in(to_unit_, "--to-unit");
    const programs::program converted = programs::goal_form(expanded());
    trace::text_file file(target_);
    programs::write_program(
        converted, form, [&](std::string_view piece) { file.append(piece); }, unit);
    file.commit();
    fmt::print("{}: {} ranks, {} operations, as {}\n", target_, converted.ranks(), converted.operations(),
               hw::name_in(programs::program_formats, form));
    return 0;
}

int program_command::execute() const {
    const programs::loggops_parameters with = loggops_in(loggops_);
    const programs::program run = expanded();
    const programs::check_result found = programs::check(run, {with.S, races_are_problems()});
    if (!found.good())
        throw hw::input_error(file_, {}, found.problems.front(),
                              found.problems_found > 1 ? fmt::format("{} more problems: `program check` lists them",
                                                                     found.problems_found - 1)
                                                       : "");
    const programs::loggops_result result = [&] {
        progress shown(progress_format::text, 1);
        return programs::run_loggops(run, with, [&](std::uint64_t ended, std::uint64_t time) {
            shown.doing(0, fmt::format("{} of {} operations, time {}", ended, run.operations(), time));
            shown.partly(0, static_cast<double>(ended) / static_cast<double>(run.operations()));
            return true;
        });
    }();
    const wrong bytes = result.stuck ? std::nullopt : results_of(run);
    if (!json_.empty()) write_json(json_, result_json(run, result, bytes));
    if (json_ != "-") {
        fmt::print("{}: {} ranks, {} operations, {} messages, {} bytes\n", file_, run.ranks(), run.operations(),
                   result.messages, result.bytes);
        fmt::print("loggops: L {}, o {}, o_receive {}, g {}, G {}, O {}, S {}\n", with.L, with.o, with.o_receive,
                   with.g, with.G, with.O, with.S);
        if (result.stuck) {
            fmt::print("stuck: {} operation{} for ever\n", result.waiting, result.waiting == 1 ? " waits" : "s wait");
            for (const std::string& one : result.report) fmt::print("  {}\n", hw::printable(one));
        } else {
            fmt::print("finish: {} at rank {}; sum over ranks {}\n", result.latest(), result.last_rank(), result.sum());
        }
        if (bytes && bytes->good())
            fmt::print("results: all {} elements are those of {}\n", bytes->elements, size_text(*run.computes()));
        else if (bytes)
            fmt::print("results: {} of {} elements are wrong for {}; the first: {}\n", bytes->wrong, bytes->elements,
                       size_text(*run.computes()), hw::collectives::wrong_text(*run.computes(), *bytes->first));
    }
    return result.stuck || (bytes && !bytes->good()) ? 1 : 0;
}

}  // namespace polycast::tlm::sim
