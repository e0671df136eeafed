// SPDX-License-Identifier: Apache-2.0
// Fat trees of routers with route tables.
#include <fmt/format.h>

#include "hw/input_error.h"
#include "hw/system/fat_tree_plan.h"
#include "tlm/topologies/drawing.h"
#include "tlm/topologies/kinds.h"

namespace polycast::tlm::topologies {

namespace {

using hw::topology::fat_tree_params;
using scenario::key;
using json = nlohmann::ordered_json;
using v = scenario::value_type;

class fat_tree_kind final : public kind {
public:
    fat_tree_kind()
        : kind({.name = "fat_tree",
                .doc = "a k-ary n-tree of routers; nodes have network interfaces",
                .rails = true,
                .chooses = true}) {}

    std::vector<key> keys() const override {
        return {{.path = "network.topology.arity",
                 .type = v::number,
                 .fallback = "4",
                 .least = "2",
                 .most = "16",
                 .doc = "Ports of every router that lead down, and as many lead up.",
                 .source = scenario::multirail,
                 .store = into_shape<fat_tree_params, &fat_tree_params::arity>},
                {.path = "network.topology.nodes",
                 .type = v::number,
                 .fallback = "32",
                 .least = "2",
                 .most = "65536",
                 .doc = "Hosts, at the lowest routers; routers with no host below are left out.",
                 .source = scenario::multirail,
                 .store = into_shape<fat_tree_params, &fat_tree_params::nodes>},
                {.path = "network.topology.levels",
                 .type = v::number,
                 .fallback = "auto",
                 .least = "1",
                 .most = "14",
                 .words = {"auto"},
                 .doc = "Levels of routers; `auto`: as many as the nodes need.",
                 .source = scenario::multirail,
                 .store = into_shape<fat_tree_params, &fat_tree_params::levels>}};
    }

    std::vector<named_graph> graphs(const loaded& scenario) const override {
        const hw::topology::fat_tree tree = fat_tree_of(scenario);
        return {{tree.name(), make_fat_tree(tree)}};
    }

    void set_routers(const loaded& scenario, hw::fabric::fabric_params& params, unsigned) const override {
        params.router.ports = fat_tree_of(scenario).ports();
        // By the lowest port all packets of a router take one way up, and its other links lie idle.
        params.tables.select = scenario.values.router.select.value_or(hw::chips::route_select::least_loaded);
    }

    hw::system::system_plan plan(const loaded& scenario, const hw::fabric::fabric_params& routers,
                                 const hw::system::system_params& params) const override {
        return make_plan(fat_tree_of(scenario), routers, params);
    }

    void draw(const shown& of, const text_sink& put) const override {
        const hw::topology::fat_tree tree = fat_tree_of(of.scenario);
        topology_json(put, of.network, {{"kind", is().name}, {"arity", tree.arity()}, {"levels", tree.levels()}},
                      [&](std::uint32_t i) {
                          return json{{"level", tree.level_of(i)}};
                      });
    }

    std::string dot(const shown& of) const override { return write_dot(fat_tree_of(of.scenario), of.network); }

    std::string text(const shown& of) const override {
        const hw::topology::fat_tree tree = fat_tree_of(of.scenario);
        const hw::topology::fat_tree_description d = describe(tree);
        std::string levels;
        for (const std::uint32_t count : d.switches) levels += (levels.empty() ? "" : " ") + std::to_string(count);
        return fmt::format(
            "fat tree          {}, {} routers; by level from the hosts: {}\n"
            "hosts             {}\n"
            "cables            {} between routers; {} between two halves of the hosts\n"
            "distance          mean {:.2f} links; longest {}\n",
            tree.name(), tree.switches(), levels, tree.nodes(), d.links, d.bisection, d.mean_distance, d.diameter);
    }
};

}  // namespace

hw::topology::fat_tree fat_tree_of(const loaded& scenario) {
    try {
        return hw::topology::fat_tree(std::any_cast<const fat_tree_params&>(scenario.values.network.topology.shape));
    } catch (const hw::input_error& refused) {
        scenario.fail(
            scenario.first_given({"network.topology.levels", "network.topology.nodes", "network.topology.arity"}),
            refused.what());
    }
}

const kind& fat_tree() {
    static const fat_tree_kind one;
    return one;
}

}  // namespace polycast::tlm::topologies
