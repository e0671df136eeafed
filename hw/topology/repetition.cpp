// SPDX-License-Identifier: Apache-2.0
#include "hw/topology/repetition.h"

#include <unordered_set>

#include "hw/topology/guid.h"

namespace polycast::hw::topology {

std::optional<repetition> find_repetition(const std::vector<identity>& nodes) {
    std::unordered_set<std::string_view> names;
    std::unordered_set<std::uint64_t> guids{0};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!names.insert(nodes[i].name).second)
            return repetition{i, "two nodes are called '" + std::string(nodes[i].name) + "'",
                              "every switch and every host needs a name of its own"};
        if (nodes[i].guid == 0 || guids.insert(nodes[i].guid).second) continue;
        return repetition{
            i, "'" + std::string(nodes[i].name) + "' is the second node with the GUID " + guid_text(nodes[i].guid),
            "every switch and every host needs a GUID of its own, or none"};
    }
    return std::nullopt;
}

std::optional<repetition> find_repetition(const graph& network) {
    std::vector<identity> nodes;
    for (const switch_node& node : network.switches) nodes.push_back({node.name, node.guid});
    for (const host_node& node : network.hosts) nodes.push_back({node.name, node.guid});
    return find_repetition(nodes);
}

}  // namespace polycast::hw::topology
