// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <unordered_set>

#include "hw/input_error.h"
#include "hw/topology/infiniband.h"
#include "hw/topology/infiniband_text.h"
#include "hw/topology/text_cursor.h"

namespace polycast::hw::topology {
namespace {

std::string hexadecimal(std::uint64_t value, bool padded = false) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), padded ? "%016" PRIx64 : "%" PRIx64, value);
    return text.data();
}

/// GUIDs of all nodes; those without one get the next free ones above `base`.
template <typename node>
std::vector<std::uint64_t> complete_guids(const std::vector<node>& nodes, std::uint64_t base,
                                          std::unordered_set<std::uint64_t>& used) {
    for (const node& one : nodes)
        if (one.guid != 0 && !used.insert(one.guid).second)
            throw input_error("InfiniBand tells nodes by their GUIDs, but two have 0x" + hexadecimal(one.guid));
    std::vector<std::uint64_t> guids;
    for (const node& one : nodes) {
        while (one.guid == 0 && !used.insert(base).second) base += 2;
        guids.push_back(one.guid != 0 ? one.guid : base);
    }
    return guids;
}

void refuse_control_characters(const std::string& name) {
    for (const char letter : name)
        if (static_cast<unsigned char>(letter) < 0x20)
            throw input_error("InfiniBand files cannot hold the name " + excerpt(name));
}

}  // namespace

std::string write_ibnetdiscover(const graph& network) {
    std::unordered_set<std::uint64_t> used;
    // Hosts' ports have GUIDs, too, here each node's plus one; so nodes without a GUID get even ones.
    const auto hosts = complete_guids(network.hosts, 0x100000, used);
    const auto switches = complete_guids(network.switches, 0x200000, used);
    for (const switch_node& one : network.switches) refuse_control_characters(one.name);
    for (const host_node& one : network.hosts) refuse_control_characters(one.name);
    const auto switch_id = [&](std::size_t s) { return "\"S-" + hexadecimal(switches[s], true) + "\""; };
    const auto host_id = [&](std::size_t h) { return "\"H-" + hexadecimal(hosts[h], true) + "\""; };

    std::string text = "#\n# Topology file: written by polycast\n#\n";
    for (std::size_t s = 0; s < network.switches.size(); ++s) {
        const switch_node& one = network.switches[s];
        text += "\nvendid=0x0\ndevid=0x0\nsysimgguid=0x" + hexadecimal(switches[s]) + "\nswitchguid=0x" +
                hexadecimal(switches[s]) + "(" + hexadecimal(switches[s]) + ")\nSwitch\t" +
                std::to_string(one.ports.size()) + " " + switch_id(s) + "\t\t# \"" + one.name +
                "\" base port 0 lid 0 lmc 0\n";
        for (std::size_t p = 0; p < one.ports.size(); ++p) {
            const port_end& end = one.ports[p];
            if (end.kind == port_end::leads_to::nowhere) continue;
            text += "[" + std::to_string(p + 1) + "]\t";
            if (end.kind == port_end::leads_to::host)
                text += host_id(end.index) + "[1](" + hexadecimal(hosts[end.index] + 1) + ") \t\t# \"" +
                        network.hosts[end.index].name;
            else
                text += switch_id(end.index) + "[" + std::to_string(end.port + 1) + "]\t\t# \"" +
                        network.switches[end.index].name;
            text += "\" lid 0 4xSDR\n";
        }
    }
    for (std::size_t h = 0; h < network.hosts.size(); ++h) {
        const host_node& one = network.hosts[h];
        text += "\nvendid=0x0\ndevid=0x0\nsysimgguid=0x" + hexadecimal(hosts[h]) + "\ncaguid=0x" +
                hexadecimal(hosts[h]) + "\nCa\t1 " + host_id(h) + "\t\t# \"" + one.name + "\"\n[1](" +
                hexadecimal(hosts[h] + 1) + ") \t" + switch_id(one.chip) + "[" + std::to_string(one.port + 1) +
                "]\t\t# lid 0 lmc 0 \"" + network.switches[one.chip].name + "\" lid 0 4xSDR\n";
    }
    return text;
}

std::string write_ibsim(const graph& network) {
    std::unordered_set<std::string> names;
    const auto check = [&](const std::string& name, std::uint64_t guid) {
        refuse_control_characters(name);
        if (name.empty() || name.find_first_of("\"@") != std::string::npos || guid_of(name).value_or(guid) != guid)
            throw input_error("an ibsim net file cannot hold the name " + excerpt(name));
        if (!names.insert(name).second)
            throw input_error("an ibsim net file tells nodes by their names, but two are called " + excerpt(name));
    };
    for (const switch_node& one : network.switches) check(one.name, one.guid);
    for (const host_node& one : network.hosts) check(one.name, one.guid);
    const auto guid_line = [](const char* word, std::uint64_t guid) {
        return guid == 0 ? std::string{} : std::string(word) + "=0x" + hexadecimal(guid) + "\n";
    };

    std::string text = "# ibsim net file, written by polycast\n";
    for (const switch_node& one : network.switches) {
        text += "\n" + guid_line("switchguid", one.guid) + "Switch\t" + std::to_string(one.ports.size()) + " \"" +
                one.name + "\"\n";
        for (std::size_t p = 0; p < one.ports.size(); ++p) {
            const port_end& end = one.ports[p];
            if (end.kind == port_end::leads_to::nowhere) continue;
            const bool host = end.kind == port_end::leads_to::host;
            text += "[" + std::to_string(p + 1) + "]\t\"" +
                    (host ? network.hosts[end.index].name : network.switches[end.index].name) + "\"[" +
                    std::to_string(host ? 1 : end.port + 1) + "]\n";
        }
    }
    for (const host_node& one : network.hosts)
        text += "\n" + guid_line("caguid", one.guid) + "Hca\t1 \"" + one.name + "\"\n[1]\t\"" +
                network.switches[one.chip].name + "\"[" + std::to_string(one.port + 1) + "]\n";
    return text;
}

}  // namespace polycast::hw::topology
