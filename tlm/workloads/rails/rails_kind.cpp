// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/rails/rails_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tlm/workloads/curves.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/rails/rails_rules.h"
#include "tlm/workloads/rails/rails_run.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;
using scenario::loaded;
using scenario::workload_settings;

namespace {

json maybe(const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
}

double rate_of(const workload_settings& w) {
    return boost::rational_cast<double>(*w.rate);
}

json warmup_json(const loaded& scenario, const rails_part& r) {
    const load_results& load = *r.load;
    return {{"cut", load.warmup},
            {"detected", scenario.values.measurement.detects_warmup},
            {"steady", load.warmup_detected.has_value()}};
}

const workload_settings& workload_of(const loaded& scenario, const finished_run& point) {
    return scenario.values.workloads[point.workload];
}

bool alike_but_rate(const loaded& scenario, const finished_run& a, const finished_run& b) {
    const workload_settings& x = workload_of(scenario, a);
    const workload_settings& y = workload_of(scenario, b);
    return a.on == b.on && x.pattern == y.pattern && x.message_bytes == y.message_bytes &&
           x.rails.policy == y.rails.policy && x.rails.striping == y.rails.striping &&
           x.rails.lengths == y.rails.lengths && scenario::longest_message(x) == scenario::longest_message(y) &&
           x.pattern_hosts == y.pattern_hosts;
}

json curve_json(const loaded& scenario, std::vector<const finished_run*> members) {
    const auto of = [&](const finished_run* point) -> const workload_settings& {
        return workload_of(scenario, *point);
    };
    std::ranges::sort(members, {}, [&](const finished_run* point) { return rate_of(of(point)); });
    const workload_settings& first = of(members.front());
    json steady = nullptr, beyond = nullptr;
    double accepted = 0;
    json points = json::array();
    for (const finished_run* point : members) {
        const rails_part& r = std::get<rails_part>(point->result.own);
        const double rate = rate_of(of(point));
        if (r.saturated() && beyond.is_null()) beyond = rate;
        if (!r.saturated() && beyond.is_null()) steady = rate;
        accepted = std::max(accepted, r.accepted.mean);
        const bool any = r.latency.count != 0;
        points.push_back({{"workload", of(point).name},
                          {"rate", rate},
                          {"offered", r.offered.mean},
                          {"accepted", r.accepted.mean},
                          {"accepted_ci95", maybe(r.accepted.ci95)},
                          {"latency_mean", any ? json(r.latency.mean) : json(nullptr)},
                          {"latency_p99", any ? json(r.latency.p99) : json(nullptr)},
                          {"latency_ci95", maybe(r.latency.ci95)},
                          {"kept_up", r.load->kept_up},
                          {"saturated", r.saturated()}});
    }
    return {{"name", common_name(first.name, of(members.back()).name)},
            {"topology", members.front()->on->name},
            {"rails", scenario.values.rails.count},
            {"policy", name_of(first.rails.policy)},
            {"striping", first.rails.striping},
            {"zero_load", nullptr},
            {"saturation", {{"steady", steady}, {"beyond", beyond}, {"accepted", accepted}}},
            {"points", std::move(points)}};
}

/// A row per run; empty without rails.
std::string table(const loaded& scenario, const std::vector<finished_run>& points) {
    std::string csv;
    const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
    for (const finished_run& point : points) {
        const auto* part = std::get_if<rails_part>(&point.result.own);
        if (part == nullptr) continue;
        if (csv.empty())
            csv =
                "point,policy,striping,rails,processes,fidelity,rate,offered,accepted,accepted_ci95,latency_mean,"
                "latency_ci95,saturated,warmup,created,delivered,open,stripes,refused,urgent,withdrawn\n";
        const rails_part& r = *part;
        const workload_settings& w = workload_of(scenario, point);
        csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                           run_id(scenario, *point.on, point.workload), name_of(w.rails.policy),
                           w.rails.striping ? 1 : 0, scenario.values.rails.count, scenario.values.host.processes,
                           how_of(scenario.values.network), w.rate ? fmt::format("{}", rate_of(w)) : "", r.offered.mean,
                           r.accepted.mean, text(r.accepted.ci95), r.latency.mean, text(r.latency.ci95),
                           r.saturated() ? 1 : 0, r.load ? std::to_string(r.load->warmup) : "", r.created, r.delivered,
                           r.open, r.drivers.stripes, r.drivers.refused, r.drivers.urgent, r.drivers.withdrawn);
    }
    return csv;
}

class rails_kind final : public workload_kind {
public:
    run_result run(const loaded& scenario, const instance& on, std::size_t workload, const network_factory& factory,
                   const std::function<bool()>& stop, const instrumentation& instruments) const override {
        return run_rails(scenario, on, workload, seed_of(scenario.values.seed, on.index, 0), factory, stop,
                         instruments);
    }

    unsigned payload(const scenario::settings& s, const workload_settings& w) const override {
        return rails_payload(s, w);
    }
    void check_routers(const loaded& scenario, const instance& on, std::size_t workload, router_needs&) const override {
        check_rails_run(scenario, on.plan.network, workload);
    }
    void set_hosts(hw::system::system_params& params, const scenario::settings& s) const override {
        set_rails(params, s);
    }
    std::optional<hw::system::system_plan> own_plan(const loaded& scenario, const instance& on,
                                                    std::size_t) const override {
        return rails_plan_of(scenario, on);
    }
    hw::topology::graph named(const loaded& scenario, const hw::topology::graph& network) const override {
        return names_on_rails(scenario.values, network);
    }

    json settings(const scenario::settings&, const workload_settings& w) const override {
        return {{"policy", name_of(w.rails.policy)},
                {"striping", w.rails.striping},
                {"lengths", scenario::name_of(w.rails.lengths)},
                {"longest", scenario::longest_message(w)},
                {"pattern", w.pattern.name},
                {"message", w.message_bytes},
                {"rate", rate_json(w)}};
    }
    std::string_view scheme(const workload_settings& w) const override { return name_of(w.rails.policy); }
    std::string_view pattern(const workload_settings& w) const override { return w.pattern.name; }
    unsigned interfaces(const scenario::settings& s) const override { return s.rails.count; }

    summary latency(const loaded&, const finished_run& run) const override {
        return std::get<rails_part>(run.result.own).latency;
    }
    std::optional<throughput> rates(const loaded& scenario, const finished_run& run) const override {
        if (!workload_of(scenario, run).rate) return std::nullopt;
        const rails_part& r = std::get<rails_part>(run.result.own);
        return throughput{r.offered.mean, r.offered.mean, r.accepted.mean};
    }
    std::optional<load_results> load(const loaded& scenario, const finished_run& run) const override {
        return workload_of(scenario, run).rate ? std::get<rails_part>(run.result.own).load : std::nullopt;
    }
    std::string_view rate_unit() const override { return "flit/host/cycle/rail"; }

    void add(json& point, const loaded& scenario, const finished_run& finished) const override {
        const rails_part& r = std::get<rails_part>(finished.result.own);
        point["fidelity"] = how_of(scenario.values.network);
        json& j = point["rails"];
        j = {{"count", scenario.values.rails.count},
             {"processes", scenario.values.host.processes},
             {"offered", r.offered.mean},
             {"offered_ci95", maybe(r.offered.ci95)},
             {"accepted", r.accepted.mean},
             {"accepted_ci95", maybe(r.accepted.ci95)},
             {"saturated", r.saturated()},
             {"warmup", r.load ? warmup_json(scenario, r) : json(nullptr)},
             {"messages", {{"created", r.created}, {"delivered", r.delivered}, {"open", r.open}}},
             {"delivered_bytes", r.delivered_bytes},
             {"stripes", r.drivers.stripes},
             {"refused", r.drivers.refused},
             {"urgent", r.drivers.urgent},
             {"withdrawn", r.drivers.withdrawn},
             {"series",
              {{"start", r.series.start},
               {"interval", r.series.interval},
               {"offered", r.series.offered},
               {"accepted", r.series.accepted}}}};
    }

    json curves(const loaded& scenario, const runs& points) const override {
        const std::vector<point_group> groups = groups_of(
            points,
            [](const run_result& r) {
                const auto* part = std::get_if<rails_part>(&r.own);
                return part != nullptr && part->load;
            },
            [&](const finished_run& a, const finished_run& b) { return alike_but_rate(scenario, a, b); });
        json curves = json::array();
        for (const auto& group : groups)
            if (group.size() > 1) curves.push_back(curve_json(scenario, group));
        return curves;
    }
    std::vector<output_file> files(const loaded& scenario, const runs& points) const override {
        return {{"tables/rails.csv", table(scenario, points)}};
    }
    json cost(const finished_run& run) const override {
        const auto& part = std::get<rails_part>(run.result.own);
        return cost_json(part.cpu_seconds, part.delivered_bytes);
    }
    std::string remark(const finished_run& run) const override {
        const rails_part& r = std::get<rails_part>(run.result.own);
        return fmt::format("  accepts {:.4f}{} of {:.4f}", r.accepted.mean,
                           r.accepted.ci95 ? fmt::format(" +- {:.4f}", *r.accepted.ci95) : "", r.offered.mean);
    }
};

}  // namespace

const workload_kind& rails() {
    static const rails_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
