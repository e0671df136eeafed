// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/rails/rails_rules.h"

#include <algorithm>
#include <string>

#include "hw/ni/abi/ni_host.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/messages/messages_rules.h"

namespace polycast::tlm::scenario {

namespace {

constexpr std::uint64_t usual_message = 32768;
/// One message in 3,000 is longer.
constexpr std::uint64_t longest_means = 8;

bool is_rails(const workload_settings& w) {
    return w.kind == traffic_kind::rails;
}

/// What belongs to rails alone.
void check_without(loaded& result) {
    const settings& s = result.values;
    const std::string instead = "take 'kind: rails' workloads";
    if (result.given.contains("rails"))
        result.fail("rails", "'rails' belongs to 'kind: rails', and no workload is of it",
                    instead + ", or leave it out");
    if (s.network.all == fidelity::event && !has_lanes(s))
        result.fail("network.fidelity", "'network.fidelity: event' belongs to rails and lanes",
                    "take 'network.fidelity: core', or workloads of kinds 'rails', 'lanes' or 'streams'");
    if (s.host.processes != 1 && s.host.jobs.empty())
        result.fail("host.processes",
                    "hosts without rails or jobs have one process, not " + std::to_string(s.host.processes),
                    instead + ", give 'host.jobs', or leave it out");
    if (s.measurement.detects_warmup)
        result.fail("measurement.warmup", "'measurement.warmup: detect' belongs to rails",
                    "give a number of cycles; results say what MSER-5 finds");
    std::erase_if(result.resolved.entries, [](const node::entry& e) { return e.key == "rails"; });
}

void check_network(const loaded& result, std::size_t first) {
    const settings& s = result.values;
    const auto blamed = [&](const char* key) {
        return result.given.contains(key) ? std::string(key) : workload_path(first, "kind");
    };
    if (s.host.model == host_model::ideal)
        result.fail(blamed("host.model"), "rails need hosts with network interfaces, and 'host.model' is 'ideal'",
                    "take 'host.model: interface'");
    const topology_kind kind = s.network.topology.kind;
    if (!kind->is().rails)
        result.fail(
            blamed("network.topology.kind"),
            "rails are networks of routers, and 'network.topology.kind' is '" + std::string(name_of(kind)) + "'",
            "take 'fat_tree', 'mesh' or 'torus'");
    const fidelity all = s.network.all;
    if (all == fidelity::event && !s.network.chips.empty())
        result.fail("network.chips", "packets as events have no other fidelity beside them",
                    "leave it out, or take another 'network.fidelity'");
    check_event_traces(result);
    if (all == fidelity::event && kind->is().rings)
        result.fail("network.fidelity", "packets as events know no virtual channels, which rings need",
                    "take 'core', or 'network.topology.kind: mesh' or 'fat_tree'");
}

void check_workload(loaded& result, std::size_t index) {
    workload_settings& w = result.values.workloads[index];
    if (!is_rails(w))
        result.fail(workload_path(index, "kind"),
                    "hosts on rails run 'kind: rails' alone, and this is '" + std::string(name_of(w.kind)) + "'",
                    "take 'rails', or another scenario");
    if (!result.given.contains(workload_path(index, "message"))) {
        w.message_bytes = usual_message;
        result.resolved.find("workload")->items[index].find("message")->text = std::to_string(usual_message) + " B";
    }
    if (w.rails.lengths == length_rule::exponential && w.rails.longest && *w.rails.longest < w.message_bytes)
        result.fail(workload_path(index, "longest"),
                    "the longest message of " + std::to_string(*w.rails.longest) + " B is shorter than the mean of " +
                        std::to_string(w.message_bytes) + " B",
                    "take " + std::to_string(longest_means * w.message_bytes) + " B, or 'auto'");
    const std::uint64_t longest = longest_message(w) + hw::rails::stripe_header;
    if (w.rails.policy == hw::rails::rail_policy::dynamic && longest > NI_RESERVE_BYTES)
        result.fail(workload_path(index, w.rails.longest ? "longest" : "message"),
                    "interfaces reserve themselves for messages of " +
                        std::to_string(NI_RESERVE_BYTES - hw::rails::stripe_header) +
                        " B at most, and the longest is " + std::to_string(longest - hw::rails::stripe_header) + " B",
                    "take shorter ones, or another policy than 'dynamic'");
}

void check_rails(loaded& result) {
    const settings& s = result.values;
    const auto first = std::ranges::find_if(s.workloads, is_rails);
    if (first == s.workloads.end()) return check_without(result);
    check_network(result, static_cast<std::size_t>(first - s.workloads.begin()));
    for (std::size_t i = 0; i < s.workloads.size(); ++i) check_workload(result, i);
}

}  // namespace

std::string_view how_of(const network_settings& network) {
    return name_of(network.all == fidelity::event ? fidelity::event : fidelity::core);
}

void check_event_traces(const loaded& result) {
    const settings& s = result.values;
    if (s.network.all != fidelity::event) return;
    const char* const instead = "take another 'network.fidelity', or 'trace.packets', a log of them";
    if (!s.trace.chips || !s.trace.chips->empty())
        result.fail("trace.chips", "packets as events are on no pins that waves could show", instead);
    if (s.trace.trigger.event)
        result.fail("trace.trigger.event", "packets as events are on no pins that waves could show", instead);
}

bool has_rails(const settings& s) {
    return std::ranges::any_of(s.workloads, is_rails);
}

kind_rules rails_rules() {
    return {.kinds = {{"rails", "messages between processes of hosts with an interface on each of several networks"}},
            .sections = rails_keys,
            .keys = rails_workload_keys,
            .check_scenario = check_rails,
            .check = check_pattern};
}

std::uint64_t longest_message(const workload_settings& workload) {
    if (!is_rails(workload) || workload.rails.lengths == length_rule::fixed) return workload.message_bytes;
    constexpr std::uint64_t most = 1'000'000'000;  // as of the key
    return workload.rails.longest.value_or(std::min(most, longest_means * workload.message_bytes));
}

}  // namespace polycast::tlm::scenario
