// SPDX-License-Identifier: Apache-2.0
#include "hw/system/program_multicasts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "hw/format/header.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/system/prediction.h"
#include "hw/system/schemes.h"
#include "hw/workloads/messages/workload_program.h"

namespace polycast::hw::system {

namespace {

using programs::multicast;
using programs::multicast_times;
using programs::program;

multicast_choice choice_of(std::string_view scheme) {
    multicast_choice choice;
    choice.scheme.how = collectives::scheme_of(scheme);
    return choice;
}

/// Bytes of a route that a command, or an entry of the group table, holds.
std::string why_no_route(const system_plan& plan, const collectives::scheme_options& scheme) {
    constexpr unsigned in_command = ni::command_buffer_bytes - 4 * NI_COMMAND_WORDS;
    constexpr unsigned in_group = 4 * NI_GROUP_ROUTE_WORDS;
    const format::packet_kind kind = scheme.packets();
    if (kind == format::packet_kind::unicast) return "";
    format::header_shape shape = plan.header_shape();
    if (kind == format::packet_kind::tree && shape.hosts > format::most_tree_hosts)
        return "tree worms are for at most " + std::to_string(format::most_tree_hosts) + " hosts";
    shape.stops = static_cast<unsigned>(std::min<std::size_t>(shape.stops, plan.network.switches.size()));
    const unsigned bytes = format::longest_header_bytes(kind, shape) - format::common_header_bytes;
    const unsigned room = scheme.smart() ? in_group : in_command;
    if (bytes <= room) return "";
    return "the route of a worm has up to " + std::to_string(bytes) + " B, and " +
           (scheme.smart() ? "an entry of an interface's group table" : "a command of an interface") + " holds " +
           std::to_string(room) + " B";
}

/// What a prediction depends on.
using message_key = std::tuple<std::string_view, std::uint32_t, std::vector<std::uint32_t>, std::uint32_t>;

class predictor {
public:
    predictor(const system_plan& plan, std::span<const std::uint32_t> host_of)
        : plan_(plan), host_of_(host_of.begin(), host_of.end()), planner_(plan_multicasts(plan)) {}

    multicast_times times_of(const program& of, const multicast& one) {
        const std::span<const programs::operation> sends = of.of_rank(one.rank).subspan(one.first, one.count);
        std::vector<std::uint32_t> to;
        for (const programs::operation& each : sends) to.push_back(host_of_[each.peer]);
        const auto bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(sends.front().length, 1));
        const auto [found, fresh] = known_.try_emplace({one.scheme, host_of_[one.rank], to, bytes});
        if (fresh) found->second = predicted(one.scheme, host_of_[one.rank], to, bytes);
        return found->second;
    }

private:
    static constexpr std::uint32_t most_packets = 64;

    multicast_times predicted(std::string_view scheme, std::uint32_t source, const std::vector<std::uint32_t>& to,
                              std::uint32_t bytes) {
        std::vector<std::uint32_t> sorted = to;
        std::ranges::sort(sorted);
        const programs::planned_multicast planned = planner_(scheme, source, sorted, bytes);
        const bool once = traffic::by_interfaces(planned.how);
        multicast_times made;
        made.calls = once ? 1 : planned.plan.participants.front().sends.size();
        const std::uint32_t payload = plan_.host.interface.payload_bytes, packets = (bytes - 1) / payload + 1;
        const auto times = [&](std::uint32_t of) { return arrivals(planned, to, bytes - (packets - of) * payload); };
        if (packets <= most_packets) {
            made.arrives = times(packets);
            return made;
        }
        made.arrives = times(most_packets);
        const std::vector<std::uint64_t> half = times(most_packets / 2);
        for (std::size_t i = 0; i < to.size(); ++i)
            made.arrives[i] += (made.arrives[i] - half[i]) * (packets - most_packets) / (most_packets / 2);
        return made;
    }

    std::vector<std::uint64_t> arrivals(const programs::planned_multicast& planned,
                                        const std::vector<std::uint32_t>& to, std::uint32_t bytes) const {
        const prediction found = predict(plan_, planned.plan, planned.how, bytes);
        const std::uint64_t packets = (bytes - 1) / plan_.host.interface.payload_bytes + 1;
        const std::uint64_t overhead = plan_.host.receive_overhead * (plan_.host.overheads_per_packet ? packets : 1);
        std::map<std::uint32_t, std::uint64_t> by_host;
        for (std::size_t place = 1; place < planned.plan.participants.size(); ++place)
            by_host[planned.plan.participants[place].host] = found.delivered[place] - overhead;
        std::vector<std::uint64_t> made;
        for (const std::uint32_t host : to) made.push_back(by_host.at(host));
        return made;
    }

    const system_plan& plan_;
    std::vector<std::uint32_t> host_of_;
    programs::multicast_planner planner_;
    std::map<message_key, multicast_times> known_;
};

}  // namespace

programs::multicast_planner plan_multicasts(const system_plan& plan) {
    return [&plan](std::string_view scheme, std::uint32_t source, std::span<const std::uint32_t> destinations,
                   std::uint32_t bytes) {
        const multicast_choice choice = choice_of(scheme);
        return programs::planned_multicast{make_planner(plan, choice, bytes)(source, destinations),
                                           forwarding_of(choice)};
    };
}

void take_worms(system_plan& plan, std::string_view scheme) {
    const format::packet_kind kind = choice_of(scheme).scheme.packets();
    if (kind == format::packet_kind::unicast || plan.has_routers() || plan.has_lids()) return;
    const unsigned longest = packet_flits(kind, plan.host.interface.payload_bytes, plan.sizes());
    for (std::uint32_t index = 0; index < plan.switch_count(); ++index) {
        chips::switch_tables& tables = plan.switch_at(index).tables;
        const unsigned holds = *std::ranges::min_element(tables.buffer_chunks) * plan.params.chunk_flits;
        tables.packet_limit = std::max(tables.packet_limit, std::min(longest, holds));
    }
}

std::string why_no_multicasts(const system_plan& plan, std::string_view scheme) {
    const collectives::scheme_options options = choice_of(scheme).scheme;
    const format::packet_kind kind = options.packets();
    const bool worms = kind != format::packet_kind::unicast;
    if (worms && plan.has_routers()) return "routers copy no worms";
    if (worms && plan.has_lids()) return "VL switches copy to the groups of their tables alone";
    if (std::string reason = why_no_route(plan, options); !reason.empty()) return reason;
    const unsigned payload = plan.host.interface.payload_bytes;
    traffic_needs needs;
    needs.unicast_payload = payload;
    if (kind == format::packet_kind::tree) needs.tree_payload = payload;
    if (kind == format::packet_kind::ssr) needs.ssr_payload = payload;
    if (kind == format::packet_kind::path) needs.path_payload = payload;
    if (options.smart()) needs.forwarded = std::numeric_limits<std::uint64_t>::max();
    // Without worms and forwarding, the network has been checked when it was made.
    if (!worms && plan.host.interface.receive_slots == 0) return "";
    const routing::route_check_result found = check_plan(plan, needs);
    return found.good() ? "" : found.problems.empty() ? "worms could wait for each other" : found.problems.front();
}

std::string why_no_groups(const system_plan& plan, const programs::multicast_routes& routes) {
    const format::header_shape shape = plan.header_shape();
    const unsigned most = plan.host.interface.group_entries;
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        unsigned count = 0;
        for (const programs::known_group& each : routes.groups_of(host)) {
            unsigned words = 1;
            std::uint32_t sends = 0;
            const collectives::participant* const part = each.forwards ? each.route->at(host) : nullptr;
            if (part != nullptr) {
                sends = static_cast<std::uint32_t>(part->sends.size());
                for (const collectives::transmission& send : part->sends) {
                    if (send.kind == format::packet_kind::unicast) continue;
                    const std::size_t bytes = traffic::route_of(shape, send.kind, send.hosts, send.stops).field.size();
                    words = std::max(words, static_cast<unsigned>((bytes + 3) / 4));
                }
            }
            // Who acknowledges to whom is an entry of its own.
            count += group_entries(sends, words) + (each.receipts.members != 0 ? 1 : 0);
        }
        if (count > most)
            return "the groups of multicasts take " + std::to_string(count) + " entries of the group table of host '" +
                   plan.network.hosts[host].name + "', which has " + std::to_string(most);
    }
    return "";
}

std::function<multicast_times(const program&, const multicast&)> multicast_predictor(
    const system_plan& plan, std::span<const std::uint32_t> host_of) {
    return [kept = std::make_shared<predictor>(plan, host_of)](const program& of, const multicast& one) {
        return kept->times_of(of, one);
    };
}

}  // namespace polycast::hw::system
