// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/reading.h"

#include <algorithm>
#include <bit>

#include "hw/topology/guid.h"

namespace polycast::hw::subnet {
namespace {

using topology::guid_text;

std::string lid_text(unsigned lid) {
    return "LID " + std::to_string(lid);
}

}  // namespace

void reading::take_topology(const topology::infiniband_records& records) {
    topology::infiniband_network network = topology::make_network(records);
    std::vector<std::uint32_t> files;
    for (const std::string& name : records.files) files.push_back(add_file(name));
    made.network = std::move(network.network);
    made.switches.resize(network.switches.size());
    made.hosts.resize(network.hosts.size());
    const auto take = [&](lid_owner& port, std::optional<unsigned> lid, std::optional<unsigned> lmc,
                          std::uint64_t node_guid, std::uint64_t port_guid, const place& at, owner as) {
        port = {node_guid, port_guid, lid.value_or(0), lmc.value_or(0), at};
        if (port.lid > max_lid)
            throw input_error(made.files[at.file], at.at, "LID " + std::to_string(port.lid) + " is out of range",
                              "it is 1 to " + std::to_string(max_lid));
        if (port.lmc > 7)
            throw input_error(made.files[at.file], at.at, "LMC " + std::to_string(port.lmc) + " is out of range",
                              "it is 0 to 7");
        if (!as.is_switch && lmc) lmc_told_ = true;
        if (port_guid != 0) ports_.emplace(port_guid, as);
        if (port.lid != 0) bases_.emplace(port.lid, as);
    };
    for (std::uint32_t s = 0; s < made.switches.size(); ++s) {
        const topology::infiniband_node& node = records.nodes[network.switches[s]];
        if (node.guid == 0 || !switches_.emplace(node.guid, s).second)
            records.fail(node.file, node.at, "switch '" + node.id + "' has no GUID of its own",
                         "tables name switches by their GUIDs");
        take(made.switches[s].self, node.lid, node.lmc, node.guid, node.port_guid, {files[node.file], node.at},
             {true, s});
    }
    for (std::uint32_t h = 0; h < made.hosts.size(); ++h) {
        const topology::infiniband_node& node = records.nodes[network.hosts[h].node];
        const topology::infiniband_cable& cable = node.cables.at(network.hosts[h].port);
        if (node.guid == 0 || switches_.contains(node.guid))
            records.fail(node.file, node.at, "adapter '" + node.id + "' has no GUID of its own",
                         "tables name adapters by their GUIDs");
        hosts_of_node_[node.guid].push_back(h);
        made.hosts[h].adapter_port = network.hosts[h].port;
        take(made.hosts[h].self, cable.lid, cable.lmc, node.guid, cable.port_guid, {files[cable.file], cable.at},
             {false, h});
    }
}

std::uint32_t reading::add_file(const std::string& name) {
    made.files.push_back(name);
    file_ = static_cast<std::uint32_t>(made.files.size() - 1);
    return file_;
}

std::string reading::place_text(const std::optional<place>& where) const {
    if (!where) return "elsewhere";
    const std::string line = "line " + std::to_string(where->at.line);
    return where->file == file_ ? line : made.files[where->file] + " " + line;
}

void reading::unknown(const line_reader& in, std::uint64_t guid, const char* kind, text_position at) const {
    const bool is_chip = switches_.contains(guid);
    const bool is_adapter = hosts_of_node_.contains(guid) || others_.contains(guid);
    if (is_chip || is_adapter)
        in.fail_at(at,
                   guid_text(guid) + " is " + (is_chip ? "a switch" : "an adapter") + " in the topology, not " + kind);
    in.fail_at(
        at, "the topology has no " + std::string(kind + (kind[1] == 'n' ? 3 : 2)) + " with the GUID " + guid_text(guid),
        "give files of one and the same sweep, or --partial");
}

bool reading::skip_unknown(const line_reader& in, std::uint64_t guid, const char* kind, text_position at) {
    if (!partial_ || switches_.contains(guid) || hosts_of_node_.contains(guid)) unknown(in, guid, kind, at);
    made.warnings.push_back(located(made, here(at), "the topology does not have the GUID " + guid_text(guid)));
    return true;
}

std::optional<std::uint32_t> reading::switch_of(const line_reader& in, std::uint64_t guid, text_position at) {
    const auto found = switches_.find(guid);
    if (found != switches_.end()) return found->second;
    skip_unknown(in, guid, "a switch", at);
    return std::nullopt;
}

std::vector<std::uint32_t> reading::hosts_of_node(std::uint64_t guid) const {
    const auto found = hosts_of_node_.find(guid);
    return found == hosts_of_node_.end() ? std::vector<std::uint32_t>{} : found->second;
}

std::optional<reading::owner> reading::owner_of_port(std::uint64_t guid) const {
    const auto found = ports_.find(guid);
    if (found == ports_.end()) return std::nullopt;
    return found->second;
}

std::optional<reading::owner> reading::owner_of_base(unsigned lid) const {
    const auto found = bases_.find(lid);
    if (found == bases_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint32_t> reading::host_of_port(const line_reader& in, std::uint64_t guid, text_position at) {
    const auto found = owner_of_port(guid);
    if (found && !found->is_switch) return found->index;
    if (found) in.fail_at(at, guid_text(guid) + " is a switch in the topology, not an adapter's port");
    skip_unknown(in, guid, "an adapter's port", at);
    return std::nullopt;
}

void reading::check_port(const line_reader& in, std::uint32_t chip, unsigned port, text_position at) const {
    const topology::switch_node& node = made.network.switches[chip];
    if (port > node.ports.size())
        in.fail_at(at, "switch '" + node.name + "' has no port " + std::to_string(port),
                   "its ports are 1 to " + std::to_string(node.ports.size()));
}

void reading::set_unicast(const line_reader& in, unicast_table& table, std::uint32_t chip, unsigned lid,
                          std::uint8_t port, text_position at) {
    if (port != no_path) check_port(in, chip, port, at);
    const std::uint8_t known = table.ports[lid];
    if (known == no_row) {
        table.ports.set(lid, port);
        table.places.add(lid, here(at));
        return;
    }
    if (known != port)
        in.fail_at(at,
                   lid_text(lid) + " of switch '" + made.network.switches[chip].name + "' has another row at " +
                       place_text(table.places.find(lid)),
                   "give the tables of one sweep");
}

void reading::set_multicast(const line_reader& in, std::uint32_t chip, unsigned mlid, multicast_row row,
                            text_position at) {
    row.at = here(at);
    const auto [known, is_new] = made.switches[chip].multicast.emplace(mlid, row);
    if (!is_new && (known->second.ports != row.ports || known->second.self != row.self))
        in.fail_at(at,
                   "MLID " + topology::guid_text(mlid) + " of switch '" + made.network.switches[chip].name +
                       "' has another row at " + place_text(known->second.at),
                   "give the tables of one sweep");
}

void reading::set_lanes(const line_reader& in, std::uint32_t chip, unsigned from, unsigned to, lane_row row,
                        text_position at) {
    check_port(in, chip, from, at);
    check_port(in, chip, to, at);
    lane_table& table = made.switches[chip].lanes;
    if (!table.set(from, to, row, here(at)))
        in.fail_at(at,
                   "ports " + std::to_string(from) + " to " + std::to_string(to) + " of switch '" +
                       made.network.switches[chip].name + "' have another row at " + place_text(table.where(from, to)),
                   "give the tables of one sweep");
}

void reading::set_host_lanes(const line_reader& in, std::uint32_t host, lane_row row, text_position at) {
    host_state& state = made.hosts[host];
    if (state.lanes && *state.lanes != row)
        in.fail_at(at, "host '" + made.network.hosts[host].name + "' has another row at " + place_text(state.lanes_at),
                   "give the tables of one sweep");
    if (state.lanes) return;
    state.lanes = row;
    state.lanes_at = here(at);
}

void reading::set_path_sl(const line_reader& in, lid_bytes& table, unsigned lid, unsigned sl, text_position at) {
    const std::uint8_t known = table[lid];
    if (known != not_told && known != sl)
        in.fail_at(at, "this source has already SL " + std::to_string(known) + " to " + lid_text(lid),
                   "give the path SLs of one sweep");
    table.set(lid, static_cast<std::uint8_t>(sl));
    made.has_path_sls = true;
}

void reading::set_node_path_sl(const line_reader& in, std::uint64_t guid, unsigned lid, unsigned sl, text_position at) {
    const auto chip = switches_.find(guid);
    const auto hosts = hosts_of_node_.find(guid);
    if (chip != switches_.end()) set_path_sl(in, made.switches[chip->second].path_sl, lid, sl, at);
    if (hosts != hosts_of_node_.end())
        for (const std::uint32_t host : hosts->second) set_path_sl(in, made.hosts[host].path_sl, lid, sl, at);
    if (chip == switches_.end() && hosts == hosts_of_node_.end()) skip_unknown(in, guid, "a node", at);
}

void reading::set_operational_vls(std::uint64_t node_guid, unsigned port, unsigned vls) {
    const auto chip = switches_.find(node_guid);
    if (chip != switches_.end()) {
        auto& lanes = made.switches[chip->second].operational_vls;
        lanes.resize(made.network.switches[chip->second].ports.size() + 1);
        if (port < lanes.size()) lanes[port] = static_cast<std::uint8_t>(vls);
    }
    for (const std::uint32_t host : hosts_of_node(node_guid))
        if (made.hosts[host].adapter_port == port) made.hosts[host].operational_vls = vls;
}

void reading::note_owner(const line_reader& in, std::uint64_t port_guid, const std::string& kind, unsigned lid,
                         text_position at) {
    if (last_owner_.size() <= lid) last_owner_.resize(lid + 1);
    if (last_owner_[lid] == port_guid) return;
    if (last_owner_[lid] != 0)
        in.fail_at(at,
                   lid_text(lid) + " is of port " + guid_text(port_guid) + " here, and of " +
                       guid_text(last_owner_[lid]) + " in another row",
                   "give the tables of one sweep");
    last_owner_[lid] = port_guid;
    const auto known_owner = owner_of_port(port_guid);
    if (known_owner && !kind.empty() && known_owner->is_switch != (kind == "Switch"))
        in.fail_at(at, guid_text(port_guid) + " is " + (known_owner->is_switch ? "a switch" : "an adapter's port") +
                           " in the topology, not a port of a " + kind);
    // The port GUIDs of switches are not in every topology.
    if (!known_owner && kind != "Switch" && !kind.empty()) {
        skip_unknown(in, port_guid, "an adapter's port", at);
        return;
    }
    const auto [known, is_new] = lids_.try_emplace(port_guid, lid_range{lid, lid, here(at)});
    if (is_new) return;
    known->second.least = std::min(known->second.least, lid);
    known->second.most = std::max(known->second.most, lid);
}

void reading::find_lmc(std::optional<unsigned> told) {
    const bool by_topology = lmc_told_;
    if (!by_topology) {
        // A port may have lost its last row (dump_lfts): all hosts have the same LMC, that of the largest range.
        for (const auto& [guid, range] : lids_) {
            const auto found = owner_of_port(guid);
            if (!found || found->is_switch) continue;
            lmc_told_ = true;
            const unsigned lmc = static_cast<unsigned>(std::bit_width(range.most - range.least));
            if (lmc > 7)
                throw input_error(made.files[range.at.file], range.at.at,
                                  "port " + guid_text(guid) + " has LIDs " + std::to_string(range.least) + " to " +
                                      std::to_string(range.most),
                                  "a port has at most 128, and in a row");
            made.lmc = std::max(made.lmc, lmc);
        }
        if (!lmc_told_) made.lmc = told.value_or(0);
        for (host_state& host : made.hosts) host.self.lmc = made.lmc;
    }
    for (const host_state& host : made.hosts) made.lmc = std::max(made.lmc, host.self.lmc);
    if (told && *told != made.lmc)
        made.warnings.push_back("LMC " + std::to_string(*told) + " is not used: the files say " +
                                std::to_string(made.lmc));
}

void reading::check_owners() const {
    struct range {
        unsigned first, last;
        const lid_owner* port;
        const std::string* name;
    };
    std::vector<range> ranges;
    const auto add = [&](const lid_owner& port, const std::string& name) {
        if (port.lid == 0) return;
        const unsigned count = 1u << port.lmc;
        if (port.lid % count != 0)
            throw input_error(
                made.files[port.at.file], port.at.at,
                "base " + lid_text(port.lid) + " of '" + name + "' is no multiple of " + std::to_string(count),
                "with LMC " + std::to_string(port.lmc) + " a port owns " + std::to_string(count) +
                    " LIDs from such a one on");
        ranges.push_back({port.lid, port.lid + count - 1, &port, &name});
    };
    for (std::size_t s = 0; s < made.switches.size(); ++s) add(made.switches[s].self, made.network.switches[s].name);
    for (std::size_t h = 0; h < made.hosts.size(); ++h) add(made.hosts[h].self, made.network.hosts[h].name);
    std::sort(ranges.begin(), ranges.end(), [](const range& a, const range& b) {
        return std::pair(a.first, a.port->node_guid) < std::pair(b.first, b.port->node_guid);
    });
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i].first <= ranges[i - 1].last) {
            const lid_owner& port = *ranges[i].port;
            throw input_error(made.files[port.at.file], port.at.at,
                              lid_text(ranges[i].first) + " is owned by '" + *ranges[i - 1].name + "' and by '" +
                                  *ranges[i].name + "'",
                              "give the topology of one sweep, with its LMC");
        }
    for (const auto& [guid, lids] : lids_) {
        const auto found = owner_of_port(guid);
        if (!found) continue;
        const lid_owner& port = found->is_switch ? made.switches[found->index].self : made.hosts[found->index].self;
        if (port.lid != 0 && (lids.least < port.lid || lids.most >= port.lid + (1u << port.lmc)))
            throw input_error(made.files[lids.at.file], lids.at.at,
                              "port " + guid_text(guid) + " has " + lid_text(lids.least) + " here, and " +
                                  lid_text(port.lid) + " in the topology",
                              "give files of one and the same sweep");
    }
}

void reading::compare_unicast() const {
    for (std::size_t s = 0; s < made.switches.size(); ++s) {
        const switch_state& one = made.switches[s];
        const unsigned end = std::min(one.fdbs.ports.end(), one.lfts.ports.end());
        for (unsigned lid = 0; lid < end; ++lid) {
            const std::uint8_t a = one.fdbs.ports[lid], b = one.lfts.ports[lid];
            if (a == b || a >= no_row || b >= no_row) continue;
            const auto where = one.lfts.places.find(lid);
            throw input_error(made.files[where->file], where->at,
                              lid_text(lid) + " of switch '" + made.network.switches[s].name + "' goes to port " +
                                  std::to_string(b) + " here, and to port " + std::to_string(a) + " at " +
                                  place_text(one.fdbs.places.find(lid)),
                              "give the tables of one sweep");
        }
    }
}

void reading::finish(std::optional<unsigned> lmc) {
    file_ = static_cast<std::uint32_t>(made.files.size());  // none of them
    find_lmc(lmc);
    check_owners();
    compare_unicast();
}

}  // namespace polycast::hw::subnet
