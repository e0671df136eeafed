// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/broadcast/broadcast_kind.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tlm/workloads/broadcast/broadcast_cycles.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/broadcast/broadcast_run.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;

namespace {

json maybe(const std::optional<std::uint64_t>& value) {
    return value ? json(*value) : json(nullptr);
}

double mean_held(const broadcast_sample& sample, std::uint64_t nodes) {
    std::uint64_t sum = 0;
    for (std::size_t packets = 0; packets < sample.holders.size(); ++packets) sum += packets * sample.holders[packets];
    return static_cast<double>(sum) / static_cast<double>(nodes);
}

/// Of the samples of the first round, each over the time since the one before.
json timeline_json(const broadcast_part& b) {
    json times = json::array(), utilisation = json::array(), held = json::array(), complete = json::array();
    const broadcast_sample* before = nullptr;
    for (const broadcast_sample& sample : b.wave.samples) {
        const double room = before == nullptr || b.links == 0
                                ? 0
                                : static_cast<double>(sample.time - before->time) * static_cast<double>(b.links);
        times.push_back(sample.time);
        utilisation.push_back(room == 0 ? 0 : static_cast<double>(sample.moved) / room);
        held.push_back(mean_held(sample, b.nodes));
        complete.push_back(sample.holders.back());
        before = &sample;
    }
    return {{"times", std::move(times)},
            {"utilisation", std::move(utilisation)},
            {"held", std::move(held)},
            {"complete", std::move(complete)}};
}

std::string hex_of(const std::string& bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        for (const int digit : {value >> 4, value & 15}) text += "0123456789abcdef"[digit];
    }
    return text;
}

/// How many nodes hold how many packets, over time; empty without broadcasts.
std::string holders(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const auto* part = std::get_if<broadcast_part>(&point.result.own);
        if (part == nullptr) continue;
        if (csv.empty()) csv = "point,time,packets,nodes\n";
        const std::string id = run_id(scenario, *point.on, point.workload);
        for (const broadcast_sample& sample : part->wave.samples) {
            for (std::size_t packets = 0; packets < sample.holders.size(); ++packets) {
                if (sample.holders[packets] != 0)
                    csv += fmt::format("{},{},{},{}\n", id, sample.time, packets, sample.holders[packets]);
            }
        }
    }
    return csv;
}

/// Who holds what over time, for the picture in the report.
json wave_json(const loaded& scenario, const finished_run& point) {
    const broadcast_part& b = std::get<broadcast_part>(point.result.own);
    const scenario::broadcast_workload& w = scenario.values.workloads[point.workload].broadcast;
    const std::vector<unsigned> dimensions = dimensions_of(scenario.values, w);
    json j{{"format", 1},
           {"point", run_id(scenario, *point.on, point.workload)},
           {"unit", name_of(scenario.values.broadcast.timing)},
           {"radix", scenario.values.network.topology.radix},
           {"dimensions", dimensions},
           {"packets", w.packets},
           {"block", b.wave.block},
           {"side", b.wave.side}};
    const hw::topology::bypass_torus network = scenario::rings_of(scenario);
    const hw::topology::bypass_torus::coordinates source = network.coordinates_of(b.rounds.at(0).source);
    j["source"] = json::array();
    for (const unsigned d : dimensions) j["source"].push_back(source[d]);
    j["times"] = json::array();
    j["holders"] = json::array();
    j["cells"] = json::array();
    for (const broadcast_sample& sample : b.wave.samples) {
        j["times"].push_back(sample.time);
        j["holders"].push_back(sample.holders);
        j["cells"].push_back(hex_of(sample.cells));
    }
    return j;
}

class broadcast_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        return run_broadcasts(scenario, on, workload, factory, stop, instruments);
    }
    bool by_one_process(const scenario::settings& s, const instrumentation&) const override {
        return s.broadcast.timing == scenario::broadcast_timing::step;
    }

    void check_routers(const loaded& scenario, const instance& on, std::size_t workload, router_needs&) const override {
        check_broadcast_cycles(scenario, on, workload);
    }
    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance&,
                                                    std::size_t workload) const override {
        if (scenario.values.broadcast.timing == scenario::broadcast_timing::step)
            return std::make_optional<hw::system::system_plan>();
        return make_plan(broadcast_routers_of(scenario, workload));
    }

    json settings(const scenario::settings& s, const scenario::workload_settings& asked) const override {
        const scenario::broadcast_workload& w = asked.broadcast;
        json j{{"algorithm", name_of(w.algorithm)},
               {"sources", w.sources},
               {"rounds", w.rounds},
               {"packets", w.packets},
               {"bytes", w.bytes},
               {"dimensions", dimensions_of(s, w)},
               {"split", split_of(s, w)}};
        if (const std::vector<unsigned> patterns = patterns_of(s, w); !patterns.empty()) j["patterns"] = patterns;
        j["rate"] = nullptr;
        return j;
    }
    std::string_view scheme(const scenario::workload_settings& w) const override {
        return name_of(w.broadcast.algorithm);
    }

    void add(json& point, const loaded& scenario, const finished_run& finished) const override {
        const broadcast_part& b = std::get<broadcast_part>(finished.result.own);
        json rounds = json::array();
        for (const broadcast_round& round : b.rounds) {
            rounds.push_back({{"source", round.source},
                              {"begin", round.begin},
                              {"units", maybe(round.units)},
                              {"hosts", maybe(round.hosts)}});
        }
        json& j = point["broadcast"];
        j = {{"timing", name_of(scenario.values.broadcast.timing)},
             {"neighbours", name_of(scenario.values.broadcast.neighbours)},
             {"nodes", b.nodes},
             {"links", b.links},
             {"sends", b.sends},
             {"sends_per_link", b.links == 0 ? 0 : static_cast<double>(b.sends) / static_cast<double>(b.links)},
             {"sends_per_link_max", maybe(b.most_sends)},
             {"duplicates", b.duplicates},
             {"stale", b.stale},
             {"verified_bytes", b.verified_bytes},
             {"rounds", std::move(rounds)},
             {"timeline", timeline_json(b)}};
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        std::vector<output_file> all{{"tables/holders.csv", holders(scenario, points)}};
        for (const finished_run& p : points) {
            if (std::holds_alternative<broadcast_part>(p.result.own))
                all.push_back({"broadcast/" + p.on->name + "-" + scenario.values.workloads[p.workload].name + ".json",
                               wave_json(scenario, p).dump()});
        }
        return all;
    }
    std::string_view unit(const scenario::settings& s) const override {
        return s.broadcast.timing == scenario::broadcast_timing::step ? "steps" : "cycles";
    }
};

}  // namespace

const workload_kind& broadcasts() {
    static const broadcast_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
