// SPDX-License-Identifier: Apache-2.0
// Nodes with lanes, a switch for each site; what runs on them is in tlm/workloads/lanes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tlm/topologies/kinds.h"

namespace polycast::tlm::topologies {

namespace {

using scenario::into;
using scenario::key;
using v = scenario::value_type;
using T = scenario::topology_settings;
constexpr auto net = &scenario::settings::network;
constexpr auto topo = &scenario::network_settings::topology;

class sites_kind final : public kind {
public:
    sites_kind()
        : kind({.name = "sites",
                .doc = "nodes with one or two lanes, a switch for each site, wide-area links; see `lanes`",
                .of = traits::chips::lanes,
                .listed = false}) {}

    std::vector<key> keys() const override {
        return {{.path = "network.topology.sites",
                 .type = v::numbers,
                 .fallback = "[32]",
                 .doc = "Nodes of each site.",
                 .source = scenario::lane_broadcasts,
                 .store = into<net, topo, &T::sites>}};
    }

    std::pair<std::string, std::string> unlisted(const loaded& scenario, const std::string&) const override {
        return {"sites of nodes with lanes are no network that can be listed here",
                fmt::format("take 'polycast-sim analyse multilane --site-nodes {}'",
                            fmt::join(scenario.values.network.topology.sites, ","))};
    }
};

}  // namespace

const kind& sites() {
    static const sites_kind one;
    return one;
}

}  // namespace polycast::tlm::topologies
