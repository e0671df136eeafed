// SPDX-License-Identifier: Apache-2.0
// Dragonflies of routers with route tables.
#include "tlm/topologies/dragonfly.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "hw/system/dragonfly_plan.h"
#include "tlm/topologies/drawing.h"

namespace polycast::tlm::topologies {

namespace {

using hw::system::dragonfly_classes;
using hw::system::dragonfly_vc_sets;
using hw::system::dragonfly_vcs;
using hw::topology::dragonfly_params;
using scenario::key;
using json = nlohmann::ordered_json;
using v = scenario::value_type;

constexpr std::string_view isca = "Kim, Dally, Scott and Abts, ISCA 2008";

hw::topology::dragonfly shape_of(const loaded& scenario) {
    return hw::topology::dragonfly(std::any_cast<const dragonfly_params&>(scenario.values.network.topology.shape));
}

class dragonfly_kind final : public kind {
public:
    dragonfly_kind()
        : kind({.name = "dragonfly",
                .doc = "groups of routers, with a cable between any two groups; nodes have network interfaces"}) {}

    std::vector<key> keys() const override {
        return {
            {.path = "network.topology.hosts",
             .type = v::number,
             .fallback = "2",
             .least = "1",
             .most = "32",
             .doc = "Hosts of every router, p.",
             .source = isca,
             .store = into_shape<dragonfly_params, &dragonfly_params::hosts>},
            {.path = "network.topology.routers",
             .type = v::number,
             .fallback = "4",
             .least = "1",
             .most = "32",
             .doc = "Routers of every group, a, all cabled to each other.",
             .source = isca,
             .store = into_shape<dragonfly_params, &dragonfly_params::routers>},
            {.path = "network.topology.links",
             .type = v::number,
             .fallback = "2",
             .least = "1",
             .most = "8",
             .doc = "Global links of every router, h.",
             .source = isca,
             .store = into_shape<dragonfly_params, &dragonfly_params::links>},
            {.path = "network.topology.groups",
             .type = v::number,
             .fallback = "auto",
             .least = "2",
             .most = "257",
             .words = {"auto"},
             .doc = "Groups; `auto`: as many as the global links join, routers x links + 1.",
             .source = isca,
             .store = into_shape<dragonfly_params, &dragonfly_params::groups>},
            {.path = "network.topology.routing",
             .type = v::choice,
             .fallback = "minimal",
             .choices = {{"minimal", "over the one cable between the two groups"},
                         {"valiant", "by way of a third group, which the interface draws for each packet"}},
             .doc = "How packets go from group to group. `router.vcs: auto` is 2 for minimal routing, 3 for Valiant's.",
             .source = isca,
             .store = into_shape<dragonfly_params, &dragonfly_params::routing>}};
    }

    void check(loaded& result) const override {
        const auto& given = std::any_cast<const dragonfly_params&>(result.values.network.topology.shape);
        if (const auto bad = hw::topology::dragonfly::find_problem(given))
            result.fail("network.topology." + bad->name, bad->message, bad->proposal);
        if (result.given.contains("router.vc_policy")) return;
        result.values.router.policy = hw::chips::vc_policy::keep;
        result.resolved.find("router")->find("vc_policy")->text = "keep";
    }

    std::vector<named_graph> graphs(const loaded& scenario) const override {
        const hw::topology::dragonfly shape = shape_of(scenario);
        return {{shape.name(), make_dragonfly(shape)}};
    }

    void set_routers(const loaded& scenario, hw::fabric::fabric_params& params, unsigned) const override {
        params.router.ports = shape_of(scenario).ports();
    }

    unsigned classes(const loaded& scenario, unsigned wanted) const override {
        return std::max(wanted, dragonfly_classes(shape_of(scenario)));
    }

    unsigned vcs(const loaded& scenario, const hw::fabric::fabric_params&, unsigned, unsigned) const override {
        return dragonfly_vcs(shape_of(scenario));
    }

    std::array<std::array<hw::chips::vc_set, 2>, 8> vc_sets(const loaded& scenario,
                                                            const hw::fabric::fabric_params& routers,
                                                            unsigned) const override {
        return dragonfly_vc_sets(shape_of(scenario), routers.router.vcs);
    }

    hw::system::system_plan plan(const loaded& scenario, const hw::fabric::fabric_params& routers,
                                 const hw::system::system_params& params) const override {
        return make_plan(shape_of(scenario), routers, params);
    }

    std::pair<std::string, std::string> way_out(const loaded& scenario) const override {
        const unsigned vcs = dragonfly_vcs(shape_of(scenario));
        if (scenario.values.router.policy != hw::chips::vc_policy::keep) return {"router.vc_policy", "take 'keep'"};
        return {"router.vcs", "take " + std::to_string(vcs) + ", or 'auto'"};
    }

    /// Groups around a circle, their routers beside each other.
    void draw(const shown& of, const text_sink& put) const override {
        const hw::topology::dragonfly shape = shape_of(of.scenario);
        const unsigned a = shape.params().routers, groups = shape.groups();
        const double places = groups * (a + 1.0), radius = places / 4;
        const auto place = [&](std::uint32_t router) {
            const double angle = 2 * std::numbers::pi * (router / a * (a + 1.0) + router % a) / places;
            return json{
                {"at", {std::lround(radius * (1 + std::sin(angle))), std::lround(radius * (1 + std::cos(angle)))}},
                {"group", router / a}};
        };
        topology_json(put, of.network,
                      {{"kind", is().name},
                       {"hosts_per_router", shape.params().hosts},
                       {"routers_per_group", a},
                       {"global_links", shape.params().links},
                       {"groups", groups},
                       {"routing", shape.valiant() ? "valiant" : "minimal"}},
                      place);
    }

    std::string dot(const shown& of) const override { return write_dot(shape_of(of.scenario), of.network); }

    std::string text(const shown& of) const override {
        const hw::topology::dragonfly shape = shape_of(of.scenario);
        const hw::topology::dragonfly_description d = describe(shape);
        return fmt::format(
            "dragonfly         {} groups of {} routers\n"
            "hosts             {}, {} at every router\n"
            "cables            {} in groups, {} between them; {} open ports for more groups\n"
            "distance          mean {:.2f} links by minimal routes; longest {}\n",
            shape.groups(), shape.params().routers, shape.hosts(), shape.params().hosts, d.local_links, d.global_links,
            shape.routers() * shape.params().links - 2 * d.global_links, d.mean_distance, d.diameter);
    }
};

}  // namespace

const kind& dragonfly() {
    static const dragonfly_kind one;
    return one;
}

}  // namespace polycast::tlm::topologies
