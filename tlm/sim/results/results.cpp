// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/rational.hpp>
#include <nlohmann/json.hpp>
#include <ranges>

#include "tlm/sim/results/csv_field.h"
#include "tlm/sim/results/link_results.h"
#include "tlm/sim/results/load_results.h"
#include "tlm/sim/results/port_results.h"
#include "tlm/sim/results/statistics.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

json maybe(const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
}

/// Of a host, also in networks that are not written out.
std::string source_name(const instance& on, std::uint32_t host) {
    return on.unlisted ? "host" + std::to_string(host) : on.plan.network.hosts[host].name;
}

double per_cycle(std::uint64_t count, std::uint64_t cycles) {
    return cycles == 0 ? 0 : static_cast<double>(count) / static_cast<double>(cycles);
}

/// Nothing for unicasts.
json plan_json(const plan_totals& plans) {
    if (plans.multicasts == 0) return nullptr;
    return {{"multicasts", plans.multicasts},  {"steps_mean", per_cycle(plans.steps, plans.multicasts)},
            {"steps_max", plans.steps_max},    {"sends_mean", per_cycle(plans.sends, plans.multicasts)},
            {"sends_max", plans.sends_max},    {"senders_mean", per_cycle(plans.senders, plans.multicasts)},
            {"senders_max", plans.senders_max}};
}

json duplicates_json(const run_result& r) {
    return {{"copies", r.counts.duplicated},
            {"worms", r.counts.worms},
            {"worms_with_duplicates", r.counts.worms_duplicated},
            {"share", per_cycle(r.counts.worms_duplicated, r.counts.worms)}};
}

/// How the run ended; "broken" when a model ended it by an assertion.
std::string_view outcome_name(const run_result& result) {
    if (result.broken) return "broken";
    switch (result.ended) {
        case hw::system::run_outcome::kind::complete: return "complete";
        case hw::system::run_outcome::kind::stuck: return "stuck";
        case hw::system::run_outcome::kind::limit: return "limit";
        case hw::system::run_outcome::kind::stopped: return "stopped";
        case hw::system::run_outcome::kind::saturated: return "saturated";
    }
    return "?";
}

/// \param each interfaces of a host
json interfaces_json(const run_result& r, const hw::system::system_plan& plan, unsigned each) {
    const hw::ni::ni_statistics& t = r.hosts.interfaces;
    const double hosts = static_cast<double>(plan.network.hosts.size()) * static_cast<double>(r.cycles);
    const auto share = [&](std::uint64_t busy, unsigned of = 1) {
        return hosts == 0 ? 0 : static_cast<double>(busy) / (of * hosts);
    };
    json j{{"packets_in", t.packets_in},
           {"packets_out", t.packets_out},
           {"receive_memory_peak", t.receive_slots_peak},
           {"send_memory_peak", t.send_slots_peak},
           {"residency_mean", per_cycle(t.residency_cycles, t.residency_count)},
           {"residency_max", t.residency_max},
           {"bus_utilisation", share(t.bus_busy, each)},
           {"link_utilisation", share(t.link_busy, each)},
           {"host_utilisation", share(r.hosts.host_busy)},
           {"dropped", r.hosts.dropped}};
    if (plan.host.watchdog != 0) j["restarts"] = t.restarts;
    return j;
}

/// Of a link, as in tables/links.csv.
double utilisation(const link_load& link, const run_result& r) {
    return per_cycle(link.flits, r.cycles);
}

/// The links together and the busiest ones; each has its row in tables/links.csv. Nothing where they are not counted.
json links_json(const run_result& r, const hw::system::system_plan& plan, bool buffers) {
    if (r.links.empty()) return nullptr;
    constexpr std::size_t most = 10;
    std::uint64_t flits = 0, packets = 0;
    std::uint32_t occupied = 0;
    for (const link_load& l : r.links) {
        flits += l.flits;
        packets += l.packets;
        occupied = std::max(occupied, l.occupied_max);
    }
    std::vector<const link_load*> busiest(std::min(most, r.links.size()));
    const auto addresses = r.links | std::views::transform([](const link_load& l) { return &l; });
    // Equal ones in the order of the table.
    std::ranges::partial_sort_copy(addresses, busiest, [](const link_load* a, const link_load* b) {
        return a->flits != b->flits ? a->flits > b->flits : a < b;
    });
    json j{{"count", r.links.size()},
           {"flits", flits},
           {"packets", packets},
           {"utilisation_mean", per_cycle(flits, r.cycles) / static_cast<double>(r.links.size())},
           {"buffer_max", buffers ? json(occupied) : json(nullptr)},
           {"busiest", json::array()}};
    for (const link_load* l : busiest)
        j["busiest"].push_back({{"from", plan.port_text(l->from)},
                                {"to", plan.port_text(l->to)},
                                {"flits", l->flits},
                                {"packets", l->packets},
                                {"utilisation", utilisation(*l, r)}});
    return j;
}

json point_json(const loaded& scenario, const finished_run& point) {
    const run_result& r = point.result;
    const hw::system::system_plan& plan = point.on->plan;
    const bool ideal = scenario.values.host.model == scenario::host_model::ideal;
    const network_size size = point.on->size();
    const workload_settings& w = scenario.values.workloads[point.workload];
    const workload_kind& kind = workload_kind_of(scenario, point.workload);
    const summary latency = kind.latency(scenario, point);
    json workload{{"name", w.name}, {"kind", name_of(w.kind)}};
    workload.update(kind.settings(scenario.values, w));
    json j{{"id", run_id(scenario, *point.on, point.workload)},
           {"topology",
            {{"name", point.on->name}, {"switches", size.switches}, {"hosts", size.hosts}, {"links", size.links}}},
           {"workload", std::move(workload)},
           {"passed", r.passed()},
           {"outcome", outcome_name(r)},
           {"cycles", r.cycles},
           {"check",
            {{"expected", r.counts.expected},
             {"delivered", r.counts.delivered},
             {"missing", r.counts.missing},
             {"duplicated", r.counts.duplicated},
             {"corrupted", r.counts.corrupted},
             {"misdelivered", r.counts.misdelivered},
             {"misordered", r.counts.misordered},
             {"chip_errors", r.chip_errors},
             {"host_failures", r.host_failures},
             {"messages",
              {{"expected", r.counts.messages.expected},
               {"delivered", r.counts.messages.delivered},
               {"missing", r.counts.messages.missing},
               {"duplicated", r.counts.messages.duplicated},
               {"corrupted", r.counts.messages.corrupted},
               {"misdelivered", r.counts.messages.misdelivered}}}}},
           {"plan", plan_json(r.plans)},
           {"interfaces", ideal ? json(nullptr) : interfaces_json(r, plan, kind.interfaces(scenario.values))},
           {"latency",
            {{"count", latency.count},
             {"mean", latency.mean},
             {"min", latency.min},
             {"max", latency.max},
             {"p50", latency.p50},
             {"p90", latency.p90},
             {"p99", latency.p99},
             {"ci95", maybe(latency.ci95)}}}};
    if (scenario.values.network.tables.run_problems) j["check"]["lost"] = r.counts.lost;
    if (scenario.values.faults.told) j["check"]["messages"]["told"] = r.counts.told;
    if (const auto t = kind.rates(scenario, point)) {
        j["throughput"] = {{"generated", t->generated},
                           {"offered", t->offered},
                           {"accepted", t->accepted},
                           {"unit", kind.rate_unit()}};
    } else {
        j["throughput"] = nullptr;
    }
    kind.add(j, scenario, point);
    if (r.counts.worms != 0) j["duplicates"] = duplicates_json(r);
    if (const auto load = kind.load(scenario, point)) {
        j["load"] = load_json(*load);
        if (!load->warnings.empty()) j["warnings"] = load->warnings;
    }
    for (const expectation& e : r.expectations)
        j["expectations"].push_back(
            {{"key", e.key}, {"limit", e.limit}, {"value", e.value}, {"met", e.met}, {"text", e.text}});
    if (!r.diagnosis.empty()) j["diagnosis"] = r.diagnosis;
    if (!r.faults.empty()) j["faults"] = r.faults;
    if (!r.suspect.empty()) j["suspect"] = r.suspect;
    if (!point.wave.empty()) j["wave"] = point.wave;
    j["links"] = links_json(r, plan, !ideal);
    if (!r.ports.empty()) j["ports"] = ports_json(r);
    if (has_link_layer(r)) j["link_layer"] = link_layer_json(r);
    if (has_faults(scenario, r)) j["injected"] = injected_json(r);
    return j;
}

struct workload_summary {
    std::uint64_t points = 0, delivered = 0, expected = 0, failed = 0;
    std::uint64_t behind = 0;  ///< points that did not keep up
    std::uint64_t early = 0;   ///< whose warm-up is longer than what is left out, or has no end
    hw::traffic::reliable_counts reliable;
    std::optional<double> mean, ci95;
};

/// Networks are the sample: the interval is over the runs' means.
workload_summary summarise_workload(const loaded& scenario, const std::vector<finished_run>& points,
                                    std::size_t workload) {
    const workload_kind& kind = workload_kind_of(scenario, workload);
    workload_summary s;
    std::vector<double> means;
    for (const finished_run& point : points) {
        if (point.workload != workload) continue;
        ++s.points;
        s.delivered += point.result.counts.delivered;
        s.expected += point.result.counts.expected;
        s.failed += point.result.passed() ? 0 : 1;
        s.reliable += point.result.counts.reliable;
        if (const auto load = kind.load(scenario, point); load && !point.result.broken) {
            s.behind += load->kept_up ? 0 : 1;
            s.early += load->kept_up && !load->warnings.empty() ? 1 : 0;
        }
        const summary latency = kind.latency(scenario, point);
        if (latency.count > 0) means.push_back(latency.mean);
    }
    if (means.empty()) return s;
    double sum = 0;
    for (const double mean : means) sum += mean;
    s.mean = sum / static_cast<double>(means.size());
    s.ci95 = confidence(means);
    return s;
}

}  // namespace

json results_json(const loaded& scenario, const std::vector<finished_run>& points) {
    json j{{"format", 2},
           {"scenario", scenario.values.name},
           {"seed", scenario.values.seed},
           {"units",
            {{"cycles", "cycle"},
             {"latency", "cycle"},
             {"message", "B"},
             {"rate", "flit/host/cycle"},
             {"utilisation", "flit/cycle"},
             {"buffer", "chunk"},
             {"cycle_ns", boost::rational_cast<double>(scenario.values.host.cycle_ns)},
             {"flit_bytes", flit_bytes_of(scenario.values)}}}};
    j["points"] = json::array();
    for (const finished_run& point : points) j["points"].push_back(point_json(scenario, point));
    json curves = json::array();
    for (const workload_kind* kind : workload_kinds())
        for (json& curve : kind->curves(scenario, points)) curves.push_back(std::move(curve));
    if (!curves.empty()) j["curves"] = std::move(curves);
    j["summary"] = json::array();
    for (std::size_t w = 0; w < scenario.values.workloads.size(); ++w) {
        const workload_summary s = summarise_workload(scenario, points, w);
        j["summary"].push_back({{"workload", scenario.values.workloads[w].name},
                                {"points", s.points},
                                {"latency_mean", maybe(s.mean)},
                                {"latency_ci95", maybe(s.ci95)},
                                {"delivered", s.delivered},
                                {"expected", s.expected},
                                {"failed", s.failed}});
    }
    return j;
}

std::string points_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv =
        "point,topology,switches,hosts,links,workload,kind,scheme,pattern,degree,message,rate,passed,outcome,cycles,"
        "expected,delivered,missing,duplicated,corrupted,"
        "misdelivered,misordered,chip_errors,latency_count,latency_mean,latency_min,latency_max,latency_p50,latency_"
        "p90,latency_p99,latency_ci95,generated,offered,accepted,steps,sends,receive_memory_peak,send_memory_peak,"
        "worms,worms_with_duplicates,kept_up,warmup_detected\n";
    for (const finished_run& point : points) {
        const run_result& r = point.result;
        const workload_settings& w = scenario.values.workloads[point.workload];
        const workload_kind& kind = workload_kind_of(scenario, point.workload);
        const network_size size = point.on->size();
        const summary l = kind.latency(scenario, point);
        const auto t = kind.rates(scenario, point);
        const auto load = kind.load(scenario, point);
        const bool multicast = w.kind == scenario::traffic_kind::multicast;
        csv += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{"
            "},"
            "{},{},{},{}\n",
            field(run_id(scenario, *point.on, point.workload)), field(point.on->name), size.switches, size.hosts,
            size.links, w.name, name_of(w.kind), kind.scheme(w), kind.pattern(w),
            multicast && w.degree != 0 ? std::to_string(w.degree) : "", w.message_bytes,
            w.rate ? fmt::format("{}",
                                 static_cast<double>(w.rate->numerator()) / static_cast<double>(w.rate->denominator()))
                   : "",
            r.passed() ? 1 : 0, outcome_name(r), r.cycles, r.counts.expected, r.counts.delivered, r.counts.missing,
            r.counts.duplicated, r.counts.corrupted, r.counts.misdelivered, r.counts.misordered, r.chip_errors, l.count,
            l.mean, l.min, l.max, l.p50, l.p90, l.p99, l.ci95 ? fmt::format("{}", *l.ci95) : "",
            t ? fmt::format("{},{},{}", t->generated, t->offered, t->accepted) : ",,",
            multicast ? fmt::format("{}", per_cycle(r.plans.steps, r.plans.multicasts)) : "",
            multicast ? fmt::format("{}", per_cycle(r.plans.sends, r.plans.multicasts)) : "",
            r.hosts.interfaces.receive_slots_peak, r.hosts.interfaces.send_slots_peak, r.counts.worms,
            r.counts.worms_duplicated, load ? (load->kept_up ? "1" : "0") : "",
            load && load->warmup_detected ? std::to_string(*load->warmup_detected) : "");
    }
    return csv;
}

void latencies_csv(const loaded& scenario, const std::vector<finished_run>& points, const text_sink& put) {
    text_pieces table(put);
    table.add("point,workload,message,source,created,completed,latency\n");
    for (const finished_run& point : points) {
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        for (const transfer& t : point.result.transfers)
            table.add("{},{},{},{},{},{},{}\n", id, scenario.values.workloads[point.workload].name, t.message,
                      field(source_name(*point.on, t.source)), t.created,
                      t.finished() ? std::to_string(t.completed) : "", t.finished() ? std::to_string(t.latency()) : "");
    }
    table.end();
}

void links_csv(const loaded& scenario, const std::vector<finished_run>& points, const text_sink& put) {
    const bool ideal = scenario.values.host.model == scenario::host_model::ideal;
    text_pieces table(put);
    table.add("point,from,to,flits,packets,utilisation,buffer_mean,buffer_max\n");
    for (const finished_run& point : points) {
        const run_result& r = point.result;
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        for (const link_load& l : r.links)
            table.add("{},{},{},{},{},{},{}\n", id, field(point.on->plan.port_text(l.from)),
                      field(point.on->plan.port_text(l.to)), l.flits, l.packets, utilisation(l, r),
                      ideal ? "," : fmt::format("{},{}", per_cycle(l.occupied_cycles, r.cycles), l.occupied_max));
    }
    table.end();
}

std::string activity_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        const std::vector<hw::topology::host_node>& hosts = point.on->plan.network.hosts;
        for (const hw::ni::span_record& span : point.result.activity.spans) {
            if (csv.empty()) csv = "point,host,resource,use,begin,end,source,message,offset\n";
            const bool known = span.source < hosts.size();
            fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{}\n", id, field(hosts[span.host].name),
                           name_of(span.where), use_of(span), span.begin, span.end,
                           known ? field(hosts[span.source].name) : "", known ? std::to_string(span.message) : "",
                           known ? std::to_string(span.offset) : "");
        }
    }
    return csv;
}

std::string functions_csv(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    for (const finished_run& point : points) {
        const std::string id = field(run_id(scenario, *point.on, point.workload));
        for (const function_span& span : point.result.activity.functions) {
            if (csv.empty()) csv = "point,host,function,depth,begin,end\n";
            fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{}\n", id,
                           field(point.on->plan.network.hosts[span.host].name), field(span.name), span.depth,
                           span.begin, span.end);
        }
    }
    return csv;
}

namespace {

/// Scoreboards of messages see what interfaces send again; programs are checked by what their ranks get.
bool counts_packets(const scenario::workload_settings& w) {
    return w.kind != scenario::traffic_kind::program && w.kind != scenario::traffic_kind::collective;
}

}  // namespace

std::string summary_text(const loaded& scenario, const std::vector<finished_run>& points) {
    std::size_t widest = 8;
    for (const workload_settings& w : scenario.values.workloads) widest = std::max(widest, w.name.size());
    const auto steps = [&](std::size_t w) { return workload_kind_of(scenario, w).unit(scenario.values) == "steps"; };
    const std::string_view unit =
        std::ranges::all_of(std::views::iota(std::size_t{0}, scenario.values.workloads.size()), steps) ? "steps"
                                                                                                       : "cycles";
    std::string text = fmt::format("{:<{}}  {:>8}  {:>24}  {:>19}\n", "workload", widest, "networks",
                                   fmt::format("latency ({})", unit), "delivered");
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i) {
        const workload_summary s = summarise_workload(scenario, points, i);
        const std::string latency = !s.mean  ? "-"
                                    : s.ci95 ? fmt::format("{:.1f} +- {:.1f}", *s.mean, *s.ci95)
                                             : fmt::format("{:.1f}", *s.mean);
        const auto first = std::ranges::find(points, i, &finished_run::workload);
        const workload_kind& kind = workload_kind_of(scenario, i);
        text += fmt::format("{:<{}}  {:>8}  {:>24}  {:>19}{}{}\n", scenario.values.workloads[i].name, widest, s.points,
                            latency, fmt::format("{} of {}", s.delivered, s.expected),
                            first == points.end() ? "" : kind.remark(*first),
                            s.failed == 0 ? "" : fmt::format("  {} FAILED", s.failed));
        text += kind.details(scenario, points, i, widest + 2);
        if (scenario.values.workloads[i].reliable)
            text += fmt::format("{:<{}}  reliable: {} messages acknowledged, {} failed{}\n", "", widest,
                                s.reliable.acknowledged, s.reliable.failed,
                                counts_packets(scenario.values.workloads[i])
                                    ? fmt::format("; {} packets sent again", s.reliable.repairs)
                                    : "");
        if (s.behind != 0) text += fmt::format("{:<{}}  {} of them do not keep up\n", "", widest, s.behind);
        if (s.early != 0)
            text += fmt::format("{:<{}}  warning: {} of them may need a longer 'measurement.{}'\n", "", widest, s.early,
                                scenario.values.measurement.detects_warmup ? "window" : "warmup");
    }
    return text;
}

}  // namespace polycast::tlm::sim
