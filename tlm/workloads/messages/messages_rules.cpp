// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_rules.h"

#include <algorithm>
#include <string>

#include "tlm/scenario/mlid.h"

namespace polycast::tlm::scenario {

namespace {

/// Without load there is no time over which hosts could be compared.
void check_expectations(const loaded& result, std::size_t index) {
    const workload_settings& w = result.values.workloads[index];
    if (w.rate || (!w.expect.wait && !w.expect.fairness)) return;
    const std::string path = workload_path(index, w.expect.wait ? "expect.wait" : "expect.fairness");
    result.fail(path, "'" + path + "' needs a rate: without load every host sends its messages once",
                "give 'rate', such as '0.1 flit/host/cycle', or expect a 'latency'");
}

void check_mlid(const loaded& result, const std::string& path, const std::string& group) {
    if (!mlid_of(group)) result.fail(path, "'" + group + "' is no multicast LID", "they are 0xC000..0xFFFE");
}

void check_multicast(loaded& result, std::size_t index) {
    workload_settings& w = result.values.workloads[index];
    const std::string path = workload_path(index);
    if (result.values.host.model == host_model::ideal)
        result.fail(path + ".kind", "ideal hosts send no multicasts",
                    "take 'kind: unicast' or 'allgather', or 'host.model: interface'");
    if (w.multicast.scheme.how == hw::collectives::group_scheme()) {
        if (!result.values.network.tables.on)
            result.fail(path + ".scheme", "'scheme: group' needs switches that know groups",
                        "take 'network.routing.kind: tables' with 'mft', or another scheme");
        check_mlid(result, path + ".group", w.mlid);
    }
    if (w.destinations) {
        const std::size_t count = w.destinations->size();
        if (count == 0) result.fail(path + ".destinations", "'" + path + ".destinations' is empty");
        const node& item = result.resolved.find("workload")->items[index];
        // Destinations from the command line win over a degree from the file.
        const bool overridden = item.find("destinations")->at.line == 0 && item.find("degree")->at.line != 0;
        if (result.given.contains(path + ".degree") && !overridden && w.degree != count) {
            result.fail(path + ".degree",
                        "'" + path + ".degree' is " + std::to_string(w.degree) + ", but " + std::to_string(count) +
                            " destinations are given",
                        "leave the degree out");
        }
        w.degree = static_cast<unsigned>(count);
        result.resolved.find("workload")->items[index].find("degree")->text = std::to_string(count);
    }
    if (w.multicast.scheme.order == hw::collectives::chain_order::listed && !w.destinations &&
        result.given.contains(path + ".order")) {
        result.fail(path + ".order", "'" + path + ".order: listed' needs 'destinations', which are random here",
                    "give them, or take another order");
    }
}

/// Bytes of what one receiver says of one message.
constexpr unsigned receipt_bytes = 16;

void check_list(loaded& result, std::size_t index) {
    workload_settings& w = result.values.workloads[index];
    if (result.values.host.model == host_model::ideal)
        result.fail(workload_path(index, "kind"), "ideal hosts send no lists of messages",
                    "take 'kind: unicast', or 'host.model: interface'");
    std::uint64_t longest = 1;
    for (std::size_t i = 0; i < w.list.size(); ++i) {
        listed_message& one = w.list[i];
        const std::string path = workload_path(index, "list[" + std::to_string(i) + "]");
        if (one.destination && one.group)
            result.fail(path + ".group", "'" + path + "' has a destination and a group", "leave one of them out");
        if (!one.destination && !one.group)
            result.fail(path, "'" + path + "' has no destination", "name a host, or with tables a 'group'");
        if (one.group) check_mlid(result, path + ".group", *one.group);
        if (!one.bytes) one.bytes = w.message_bytes;
        longest = std::max(longest, *one.bytes);
    }
    w.message_bytes = longest;
}

void check(loaded& result, std::size_t index) {
    check_reliable(result, index);
    if (result.values.workloads[index].kind == traffic_kind::list) return check_list(result, index);
    if (result.values.workloads[index].kind == traffic_kind::multicast) return check_multicast(result, index);
    check_lengths(result, index);
    check_pattern(result, index);
    check_expectations(result, index);
}

}  // namespace

void check_reliable(const loaded& result, std::size_t index) {
    const settings& s = result.values;
    const workload_settings& w = s.workloads[index];
    if (!w.reliable) return;
    const std::string path = workload_path(index, "reliable");
    if (s.network.all == fidelity::event)
        result.fail(path, "with 'network.fidelity: event' nothing is lost, and packets are not acknowledged",
                    "leave it out, or take 'network.fidelity: core'");
    if (s.packet.payload_bytes < receipt_bytes)
        result.fail(path,
                    "a receipt takes " + std::to_string(receipt_bytes) + " B, and packets carry " +
                        std::to_string(s.packet.payload_bytes),
                    "take 'packet.payload: " + std::to_string(receipt_bytes) + " B' or more");
    using forwarders = hw::collectives::scheme_kind::forwarders;
    const bool groups =
        w.kind == traffic_kind::multicast && (w.multicast.scheme.packets() != hw::format::packet_kind::unicast ||
                                              w.multicast.scheme.how->by == forwarders::interfaces);
    if (groups && w.rate && !w.destinations)
        result.fail(path,
                    "random destinations under load are a new group for each message, and an interface keeps what it "
                    "knows of 128 for good",
                    "give 'destinations', leave out 'rate', or take 'scheme: software'");
}

void check_pattern(loaded& result, std::size_t index) {
    using hw::traffic::pattern_kind;
    const workload_settings& w = result.values.workloads[index];
    const pattern_kind& pattern = hw::traffic::pattern_kind_of(w.pattern.name);
    const std::string name(pattern.name);
    const std::string hosts = workload_path(index, name + ".hosts");
    if (pattern.hosts && w.pattern_hosts.empty()) result.fail(hosts, "'" + hosts + "' is empty");
    if (pattern.grid && !result.values.network.topology.is_grid())
        result.fail(workload_path(index, "pattern"), "'pattern: " + name + "' needs the coordinates of a grid",
                    "take another pattern, or 'network.topology.kind: mesh' or 'torus'");
    if (pattern.rate == pattern_kind::load::needed && !w.rate)
        result.fail(workload_path(index, "pattern"), "'pattern: " + name + "' needs a rate",
                    "give 'rate', such as '0.1 flit/host/cycle'");
}

void check_lengths(const loaded& result, std::size_t index) {
    const workload_settings& w = result.values.workloads[index];
    const std::string path = workload_path(index);
    if (w.most_flits && *w.most_flits < w.flits)
        result.fail(path + ".most_flits", "'" + path + ".most_flits' of " + std::to_string(*w.most_flits) +
                                              " is less than 'flits' of " + std::to_string(w.flits));
}

kind_rules messages_rules() {
    return {.kinds = {{"unicast", "each message to one host"},
                      {"multicast", "each message to several hosts"},
                      {"list", "given messages in given cycles"}},
            .keys = messages_keys,
            .check = check};
}

}  // namespace polycast::tlm::scenario
