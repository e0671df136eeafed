// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/advise_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "hw/collectives/advice.h"
#include "hw/input_error.h"
#include "tlm/scenario/propose.h"
#include "tlm/scenario/quantity.h"
#include "tlm/sim/analyse/analyse_command_line.h"
#include "tlm/sim/run.h"
#include "tlm/sim/usage.h"
#include "tlm/workloads/program/advice.h"

namespace polycast::tlm::sim {

namespace {

using json = nlohmann::ordered_json;
using hw::programs::collective_kind;

std::vector<collective_kind> kinds_in(const std::string& list) {
    std::vector<collective_kind> kinds;
    std::vector<std::string> known{"all"};
    for (const auto& each : hw::programs::collective_kinds) known.emplace_back(each.name);
    for (const std::string& name : names_in(list)) {
        if (std::ranges::find(known, name) == known.end())
            throw hw::input_error("--collective: there is no collective '" + name + "'",
                                  scenario::propose(name, known));
        for (const auto& each : hw::programs::collective_kinds)
            if ((name == "all" || each.name == name) && std::ranges::find(kinds, each.value) == kinds.end())
                kinds.push_back(each.value);
    }
    if (kinds.empty()) throw hw::input_error("--collective names none", scenario::propose("", known));
    return kinds;
}

std::uint64_t size_in(const std::string& text) {
    const auto given = scenario::parse_quantity(text);
    const auto bytes = given && given->unit != "flit" ? scenario::to_base(*given, scenario::dimension::bytes, {})
                                                      : std::optional<scenario::exact>{};
    if (!bytes || bytes->denominator() != 1 || *bytes < 1 || *bytes > scenario::exact(0xffffffffll))
        throw hw::input_error("--sizes: expected a size of 1 B to 4 GiB, found '" + text + "'",
                              "'64 B..1 MiB', or '64 B,1 KiB'");
    return bytes->numerator().convert_to<std::uint64_t>();
}

/// "64 B..1 MiB" in steps of 4, or sizes with commas between; least first.
std::vector<std::uint64_t> sizes_of(const std::string& text) {
    std::vector<std::uint64_t> sizes;
    for (const std::string& each : names_in(text)) {
        const std::size_t dots = each.find("..");
        if (dots == std::string::npos) {
            sizes.push_back(size_in(each));
            continue;
        }
        const std::uint64_t from = size_in(each.substr(0, dots)), to = size_in(each.substr(dots + 2));
        if (from > to) throw hw::input_error("--sizes: '" + each + "' goes down", "the smaller one comes first");
        for (std::uint64_t size = from; size < to; size *= 4) sizes.push_back(size);
        sizes.push_back(to);
    }
    if (sizes.empty()) throw hw::input_error("--sizes names none", "'64 B..1 MiB'");
    std::ranges::sort(sizes);
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    return sizes;
}

json calibration_json(const calibrated_machine& machine) {
    json lengths = json::array(), distances = json::array();
    for (const auto& each : machine.measured.lengths)
        lengths.push_back({{"bytes", each.bytes},
                           {"way", each.way},
                           {"way_least", each.least},
                           {"way_most", each.most},
                           {"gap", each.gap}});
    for (const auto& each : machine.measured.distances)
        distances.push_back({{"links", each.links}, {"pairs", each.pairs}, {"way", each.way}});
    return {{"o", machine.tables.o}, {"o_receive", machine.tables.o_receive}, {"ask", machine.tables.ask},
            {"lengths", lengths},    {"gap_both", machine.measured.gap_both}, {"shared", machine.measured.shared},
            {"distances", distances}};
}

/// One collective at all sizes.
json collective_advice(const scenario::loaded& scenario, const instance& on, hw::programs::collective made,
                       const std::vector<std::uint64_t>& sizes, const hw::programs::loggops_tables& machine) {
    std::map<std::uint64_t, std::vector<hw::collectives::prediction>> known;
    const auto predicted = [&](std::uint64_t elements) -> const std::vector<hw::collectives::prediction>& {
        const auto [at, fresh] = known.try_emplace(elements);
        if (fresh) {
            made.elements = elements;
            at->second = predictions_of(scenario, on, made, machine);
        }
        return at->second;
    };
    std::vector<std::uint64_t> elements;
    if (made.kind == collective_kind::barrier) {
        elements.push_back(1);
    } else {
        for (const std::uint64_t size : sizes) {
            if (size % made.element_bytes() != 0)
                throw hw::input_error(
                    fmt::format("--sizes: {} B are no whole number of elements of {} B", size, made.element_bytes()));
            elements.push_back(size / made.element_bytes());
        }
    }
    json rows = json::array();
    for (const std::uint64_t each : elements) {
        json all = json::array();
        for (const auto& one : predicted(each)) {
            all.push_back({{"algorithm", one.by->name}, {"cycles", one.cycles}});
            if (!one.by->scheme.empty()) all.back()["scheme"] = one.by->scheme;
        }
        rows.push_back({{"size", each * made.element_bytes()}, {"predictions", all}});
    }
    json changes = json::array();
    for (const auto& each :
         hw::collectives::crossovers(elements, [&](std::uint64_t at) { return predicted(at).front().by; }))
        changes.push_back({{"size", each.elements * made.element_bytes()},
                           {"before", each.before->name},
                           {"after", each.after->name}});
    return {{"collective", hw::name_in(hw::programs::collective_kinds, made.kind)},
            {"sizes", rows},
            {"crossovers", changes}};
}

}  // namespace

advise_command::advise_command(CLI::App& app)
    : command_(app.add_subcommand(
          "advise",
          "Predict the time of every algorithm of collectives on the networks of a scenario whose first workload is "
          "one, and print it as JSON: the model is measured once, and the algorithms run on the reference machine. "
          "`scripts/polycast advise --collective` simulates them, too.")) {
    command_->add_option("scenario", file_, "Scenario file (YAML)")->required();
    add_overrides(*command_, overrides_);
    command_->add_option("--written-by", writer_, "As for run")->type_name("WORD")->allow_extra_args(false);
    command_->add_option("--collective", collectives_, "Which, with commas between; default: all")->type_name("NAMES");
    command_->add_option("--sizes", sizes_, "A range in steps of 4, or sizes with commas between; default: 64 B..1 MiB")
        ->type_name("SIZES");
}

int advise_command::run() const {
    const std::vector<collective_kind> kinds = kinds_in(collectives_);
    const std::vector<std::uint64_t> sizes = sizes_of(sizes_);
    const scenario::loaded scenario = scenario::load_file(file_, overrides_, words_text(writer_));
    const scenario::workload_settings& first = scenario.values.workloads.front();
    if (first.kind != scenario::traffic_kind::collective)
        throw hw::input_error(file_ + ": the first workload is not of 'kind: collective'");
    json networks = json::array();
    for (const instance& on : make_instances(scenario)) {
        const hw::programs::loggops_tables machine = machine_of(scenario, on, 0, ranks_of(first.program, on));
        json collectives = json::array();
        for (const collective_kind kind : kinds) {
            scenario::program_workload w = first.program;
            w.collective = kind;
            collectives.push_back(collective_advice(scenario, on, collective_of(w, ranks_of(w, on)), sizes, machine));
        }
        networks.push_back(
            {{"network", on.name},
             {"ranks", ranks_of(first.program, on)},
             {"calibration", calibration_json(*calibrated(scenario, on, 0, ranks_of(first.program, on)))},
             {"collectives", std::move(collectives)}});
    }
    fmt::print("{}\n", json{{"networks", std::move(networks)}}.dump(1));
    return 0;
}

}  // namespace polycast::tlm::sim
