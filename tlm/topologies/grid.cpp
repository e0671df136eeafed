// SPDX-License-Identifier: Apache-2.0
// Meshes and tori of routers in dimension order; tori whose routers have bypass links.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hw/input_error.h"
#include "hw/system/mesh_plan.h"
#include "tlm/topologies/drawing.h"
#include "tlm/topologies/kinds.h"

namespace polycast::tlm::topologies {

namespace {

using scenario::dimension;
using scenario::into;
using scenario::key;
using json = nlohmann::ordered_json;
using v = scenario::value_type;
using T = scenario::topology_settings;
constexpr auto net = &scenario::settings::network;
constexpr auto topo = &scenario::network_settings::topology;

class grid : public kind {
public:
    using kind::kind;

    std::vector<key> keys() const override {
        return {{.path = "network.topology.radix",
                 .type = v::number,
                 .fallback = "8",
                 .least = "2",
                 .most = "65536",
                 .doc = "Routers along each dimension.",
                 .source = scenario::coding,
                 .store = into<net, topo, &T::radix>},
                {.path = "network.topology.dimensions",
                 .type = v::number,
                 .fallback = "2",
                 .least = "1",
                 .most = "4",
                 .doc = "Number of dimensions.",
                 .source = scenario::coding,
                 .store = into<net, topo, &T::dimensions>}};
    }

    std::vector<named_graph> graphs(const loaded& scenario) const final {
        const hw::topology::mesh_params shape = mesh_params_of(scenario.values);
        try {
            const bool ideal = scenario.values.host.model == scenario::host_model::ideal;
            const unsigned most = ideal ? hw::topology::max_ideal_hosts : hw::topology::max_hosts;
            return {{mesh_name(shape), make_mesh(shape, most)}};
        } catch (const hw::input_error& refused) {
            scenario.fail("network.topology", refused.what());
        }
    }

    void set_routers(const loaded& scenario, hw::fabric::fabric_params& params, unsigned hosts) const final {
        const hw::topology::mesh_params shape = mesh_params_of(scenario.values);
        params.router.dimensions = shape.dimensions;
        params.router.radix = shape.radix;
        params.router.ports = params.router.first_host_port() + hosts;
        params.tables.wrap = shape.torus ? (1u << shape.dimensions) - 1 : 0;
    }

    hw::system::system_plan plan(const loaded& scenario, const hw::fabric::fabric_params& routers,
                                 const hw::system::system_params& params) const final {
        hw::fabric::fabric_params all = routers;
        all.tables.table = scenario.values.router.route_tables;
        return make_plan(all, params);
    }

    void draw(const shown& of, const text_sink& put) const final {
        const hw::topology::mesh_params shape = mesh_params_of(of.scenario.values);
        const auto place = [&](std::uint32_t i) {
            const hw::topology::grid_place at = place_of(shape, i);
            return json{{"at", {at.x, at.y}}};
        };
        const T& t = of.scenario.values.network.topology;
        topology_json(put, of.network, {{"kind", is().name}, {"radix", shape.radix}, {"dimensions", shape.dimensions}},
                      place, t.bypass.empty() ? json::object() : json{{"bypass", t.bypass}});
    }

    std::string dot(const shown& of) const final { return write_dot(mesh_params_of(of.scenario.values), of.network); }

    std::string text(const shown& of) const final {
        const hw::topology::mesh_params shape = mesh_params_of(of.scenario.values);
        const hw::topology::mesh_description d = describe(shape);
        return fmt::format(
            "{:<17} {} routers, {} along each of {} dimension{}, a host each\n"
            "cables            {} between routers; {} between two halves\n"
            "distance          mean {:.2f} links in dimension order; longest {}\n",
            shape.torus ? "torus" : "mesh", d.routers, shape.radix, shape.dimensions, shape.dimensions == 1 ? "" : "s",
            d.links, d.bisection, d.mean_distance, d.diameter);
    }

    std::pair<std::string, std::string> unlisted(const loaded& scenario, const std::string& name) const final {
        const T& t = scenario.values.network.topology;
        const std::string bypass = t.bypass.empty() ? "" : fmt::format(" --bypass {}", fmt::join(t.bypass, ","));
        return {kind::unlisted(scenario, name).first,
                fmt::format("take 'polycast-sim analyse ibt --n {} --d {}{}'", t.radix, t.dimensions, bypass)};
    }
};

class bypass_kind final : public grid {
public:
    bypass_kind()
        : grid({.name = "bypass_torus",
                .doc = "a torus whose routers have two bypass links each (iBT); for broadcasts",
                .grid = true,
                .rings = true,
                .broadcasts_only = true,
                .listed = false}) {}

    std::vector<key> keys() const override {
        std::vector<key> rows = grid::keys();
        rows.push_back(
            {.path = "network.topology.bypass",
             .type = v::numbers,
             .required = true,
             .doc = "Lengths b1, b2, ... of the bypass links. Router x with x1 + x2 + ... = t modulo (dimensions x "
                    "lengths) "
                    "has its two in dimension t mod dimensions, to the routers b[t div dimensions] up and down.",
             .source = scenario::pipelined,
             .store = into<net, topo, &T::bypass>});
        return rows;
    }
};

}  // namespace

hw::topology::mesh_params mesh_params_of(const scenario::settings& s) {
    const T& t = s.network.topology;
    return {t.radix, t.dimensions, t.has_rings()};
}

const kind& mesh() {
    static const grid one(
        {.name = "mesh", .doc = "routers, cabled to their neighbours, with a host each", .grid = true, .rails = true});
    return one;
}

const kind& torus() {
    static const grid one(
        {.name = "torus", .doc = "the same with cables from end to end", .grid = true, .rings = true, .rails = true});
    return one;
}

const kind& bypass_torus() {
    static const bypass_kind one;
    return one;
}

}  // namespace polycast::tlm::topologies
