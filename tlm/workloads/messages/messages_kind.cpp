// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_kind.h"

#include <algorithm>
#include <limits>

#include "hw/engine/packing.h"
#include "hw/workloads/messages/workload_program.h"
#include "tlm/sim/agreement.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/messages/fault_free.h"
#include "tlm/workloads/messages/messages_checks.h"
#include "tlm/workloads/messages/messages_params.h"
#include "tlm/workloads/messages/messages_run.h"
#include "tlm/workloads/run_chips.h"

namespace polycast::tlm::sim {

using hw::system::run_outcome;

namespace {

/// Runs a workload on one network.
run_result run_network(const scenario::loaded& scenario, const instance& on, const hw::traffic::workload_params& params,
                       const hw::system::multicast_choice& choice, const network_factory& factory,
                       const std::function<bool()>& stop, const instrumentation& instruments, std::uint32_t timeout) {
    const scenario::settings& s = scenario.values;
    workload_run work(scenario, on, params, choice);
    if (params.reliable) set_timeout(timeout, work.plan, work.limits);
    if (params.gap != 0 && !s.measurement.drains_saturated) {
        work.limits.review = params.end;
        work.limits.give_up = [&] {
            const load_times times{params.start, params.start + s.measurement.warmup, params.end};
            return !judge_load(transfers_of(work.board), times, s.measurement.batches).kept_up;
        };
    }
    const auto hosts = [&](hw::system::processor_factory processors, hw::ni::observer* watcher) {
        return hw::system::workload_hosts(std::move(processors), work.traffic, work.board, params.seed, watcher);
    };
    endpoints ends{work.board, hosts};
    ends.give_counts = [&work] { return hw::engine::packed(work.plans); };
    ends.take_counts = [&work, &params](const std::string& counts) {
        const auto theirs = hw::engine::unpacked<plan_totals>(counts);
        if (!params.shared()) {
            work.plans += theirs;  // only a source asks for a plan
        } else if (work.plans.multicasts < theirs.multicasts) {
            work.plans = theirs;  // who takes part asks for all before his: who asked for most knows them all
        }
    };
    run_result result = run_chips(
        on, work.plan, std::move(ends), work.limits, params.start, factory,
        [&stop](hw::engine::cycle) { return stop(); }, instruments);
    if (result.ended == run_outcome::kind::limit) {
        result.diagnosis = "not all was delivered within the drain limit of " +
                           std::to_string(s.measurement.drain_limit) + " cycles after the window";
    }
    result.counts = work.board.counts();
    if (result.ended == run_outcome::kind::saturated) {
        result.counts.forgo_missing();
        result.counts.messages.forgo_missing();
        result.counts.reliable.broken = 0;  // the last ones are on their way to the programs
    }
    if (params.reliable) {
        if (result.counts.reliable.broken != 0)
            for (const std::string& broken : work.board.broken_promises()) result.faults.push_back(broken);
        result.own = reliable_part{timeout, work.board.failed_sends()};
    }
    result.plans = work.plans;
    result.losses_are_told = s.faults.told;
    result.duplicates_counted = s.measurement.duplicates == scenario::duplicates_rule::count;
    result.volume = work.board.volume();
    result.faults.insert(result.faults.end(), work.board.faults().begin(), work.board.faults().end());
    result.transfers = transfers_of(work.board);
    return result;
}

/// Those of another network of the same run.
void add_failures(run_result& all, const run_result& one) {
    std::vector<hw::traffic::send_end>& failed = std::get<reliable_part>(all.own).failed_sends;
    for (const hw::traffic::send_end& each : std::get<reliable_part>(one.own).failed_sends)
        if (failed.size() < hw::delivery::fault_list::most) failed.push_back(each);
}

class messages_kind final : public workload_kind {
public:
    run_result run(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                   const network_factory& factory, const std::function<bool()>& stop,
                   const instrumentation& instruments) const override {
        const scenario::settings& s = scenario.values;
        const scenario::workload_settings& w = s.workloads[workload];
        hw::traffic::workload_params params = params_of_run(scenario, on, workload);
        const hw::system::multicast_choice choice = choice_of(w, on.plan.host.interface.lids.get());
        // Single multicasts get an empty network each; everything else happens in one.
        const bool alone = w.kind == scenario::traffic_kind::multicast && !w.rate;
        const std::uint64_t networks = alone ? w.messages : 1;
        if (alone) params.messages = 1;
        run_result result;
        std::uint32_t timeout = s.ni.reliable.timeout.value_or(0);
        if (w.reliable && !s.ni.reliable.timeout)
            timeout = measured_timeout(scenario, on, params, choice, factory, stop);
        for (std::uint64_t message = 0; message < networks; ++message) {
            params.seed = seed_of(s.seed, on.index, message);
            instrumentation now;
            if (message == 0) now = instruments;
            now.waves = instruments.waves && instruments.waves->message == message ? instruments.waves : std::nullopt;
            const auto run_this = [&] {
                return run_network(scenario, on, params, choice, factory, stop, now, timeout);
            };
            run_result one = networks > 1 ? one_of_several(factory, run_this) : run_this();
            if (message == 0) {
                result = std::move(one);
            } else {
                result += one;
                if (w.reliable) add_failures(result, one);
            }
            result.order_guaranteed = on.plan.keeps_order();
            if (!result.passed()) {
                result.failing_message = message;
                break;
            }
        }
        return result;
    }

    unsigned payload(const scenario::settings& s, const scenario::workload_settings& w) const override {
        return w.reliable ? s.packet.payload_bytes : workload_kind::payload(s, w);  // of receipts
    }
    hw::format::packet_kind packets(const scenario::workload_settings& w) const override {
        if (w.kind == scenario::traffic_kind::list)
            return hw::format::packet_kind::unicast;  // headers of LIDs are as long
        return w.kind == scenario::traffic_kind::multicast ? w.multicast.scheme.packets()
                                                           : hw::format::packet_kind::unicast;
    }

    std::uint64_t forwarded(const scenario::settings& s, const scenario::workload_settings& w) const override {
        if (w.kind != scenario::traffic_kind::multicast || !w.multicast.scheme.smart()) return 0;
        // A multicast alone is all there is; under load there is no bound.
        if (w.rate) return std::numeric_limits<std::uint64_t>::max();
        return (w.message_bytes - 1) / s.packet.payload_bytes + 1;
    }

    void check_switches(const scenario::loaded& scenario, const hw::topology::graph& network,
                        std::size_t workload) const override {
        check_commands(scenario, workload, network);
        check_groups(scenario, workload, network);
        const hw::traffic::workload_params params = workload_params_of(scenario, workload, network);
        if (!scenario.values.network.tables.on) hw::traffic::workload{params};
    }

    void check_tables(const scenario::loaded& scenario, const instance& on, std::size_t workload) const override {
        hw::traffic::workload{params_of_run(scenario, on, workload)};
    }

    void check_routers(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       router_needs&) const override {
        if (packets(scenario.values.workloads[workload]) != hw::format::packet_kind::unicast)
            scenario.fail(scenario::workload_path(workload, "scheme"), "routers copy no worms",
                          "take " + hw::collectives::schemes_of_unicasts());
        check_groups(scenario, workload, on.plan.network);
        hw::traffic::workload{workload_params_of(scenario, workload, on.plan.network)};
    }

    json settings(const scenario::settings&, const scenario::workload_settings& w) const override {
        json j = w.kind == scenario::traffic_kind::multicast ? scheme_json(w)
                 : w.kind == scenario::traffic_kind::list    ? json{{"messages", w.list.size()}}
                                                             : json{{"pattern", w.pattern.name}};
        j["message"] = w.message_bytes;
        if (w.reliable) j["reliable"] = true;
        j["rate"] = rate_json(w);
        return j;
    }
    std::string_view scheme(const scenario::workload_settings& w) const override {
        return w.kind == scenario::traffic_kind::multicast ? w.multicast.scheme.how->name : "";
    }
    std::string_view pattern(const scenario::workload_settings& w) const override {
        return w.kind == scenario::traffic_kind::unicast ? w.pattern.name : "";
    }

    void add(json& j, const scenario::loaded&, const finished_run& run) const override {
        const auto* const part = std::get_if<reliable_part>(&run.result.own);
        if (part == nullptr) return;
        const hw::traffic::reliable_counts& c = run.result.counts.reliable;
        j["reliable"] = {{"timeout", part->timeout}, {"acknowledged", c.acknowledged}, {"failed", c.failed},
                         {"broken", c.broken},       {"receipts", c.receipts},         {"probes", c.probes},
                         {"declines", c.declines},   {"repairs", c.repairs},           {"repeated", c.repeated},
                         {"failures", json::array()}};
        const auto name = [&run](std::uint32_t host) { return run.on->plan.network.hosts[host].name; };
        for (const hw::traffic::send_end& each : part->failed_sends) {
            json lacking = json::array();
            for (const hw::traffic::lacking_receiver& host : each.lacking)
                lacking.push_back({{"host", name(host.host)}, {"why", hw::traffic::words_of(host.why)}});
            j["reliable"]["failures"].push_back({{"cycle", each.when},
                                                 {"source", name(each.source)},
                                                 {"message", each.number},
                                                 {"why", hw::traffic::words_of(each.status)},
                                                 {"lacking", std::move(lacking)}});
        }
    }

private:
    static json scheme_json(const scenario::workload_settings& w) {
        using fanout = hw::system::multicast_choice::fanout_choice;
        const hw::collectives::scheme_options& scheme = w.multicast.scheme;
        if (!w.mlid.empty()) return {{"scheme", scheme.how->name}, {"group", w.mlid}};
        json j{{"scheme", scheme.how->name}, {"degree", w.degree}};
        if (scheme.how->phases) j["phases"] = name_of(scheme.phases);
        if (scheme.how->chooses_packets) j["worms"] = name_of(scheme.worms);
        if (scheme.smart()) j["forwarding"] = w.multicast.fcfs ? "fcfs" : "fpfs";
        if (scheme.how->has_tree()) {
            j["fanout"] = w.multicast.fanout == fanout::best     ? json("best")
                          : w.multicast.fanout == fanout::timing ? json("timing")
                                                                 : json(scheme.fanout);
            j["order"] = name_of(scheme.order);
        }
        return j;
    }
};

}  // namespace

const workload_kind& messages() {
    static const messages_kind kind;
    return kind;
}

}  // namespace polycast::tlm::sim
