// SPDX-License-Identifier: Apache-2.0
// Networks of switches with up*/down* routing: random ones, and those of files.
#include <fmt/format.h>

#include <filesystem>

#include "hw/input_error.h"
#include "hw/topology/describe.h"
#include "hw/topology/topology_file.h"
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

/// Those of files of topologies, and of dumps of fabrics.
std::vector<scenario::choice> formats() {
    std::vector<scenario::choice> all =
        scenario::choices_of(hw::topology::file_formats, {{"auto", "told from the content"}});
    all.push_back({"subnet_list", "subnet list of OpenSM or ibdiagnet, with forwarding tables"});
    all.push_back({"db_csv", "database of ibdiagnet 2, likewise"});
    return all;
}

void store_format(scenario::settings& s, const scenario::value& given) {
    constexpr unsigned dumps = 1 + std::size(hw::topology::file_formats);
    T& t = s.network.topology;
    t.format.reset();
    t.dump.reset();
    if (given.choice >= dumps)
        t.dump = static_cast<scenario::fabric_dump>(given.choice - dumps);
    else if (given.choice > 0)
        t.format = hw::topology::file_formats[given.choice - 1].value;
}

class switches : public kind {
public:
    using kind::kind;

    void draw(const shown& of, const text_sink& put) const final {
        if (of.scenario.values.network.tables.on)  // they have no root
            return topology_json(put, of.network, json::object(), [](std::uint32_t) { return json::object(); });
        topology_json(put, of.network, hw::routing::updown(of.network, of.params.routing));
    }

    std::string dot(const shown& of) const final {
        return write_dot(of.network, hw::routing::updown(of.network, of.params.routing));
    }

    std::string text(const shown& of) const final {
        const hw::topology::description d =
            hw::topology::describe(of.network, hw::routing::updown(of.network, of.params.routing));
        std::string levels;
        for (const std::uint32_t count : d.switches_at_level)
            levels += (levels.empty() ? "" : " ") + std::to_string(count);
        std::vector<std::string> roots;
        for (const std::uint32_t root : d.roots) roots.push_back(of.network.switches[root].name);
        std::string text = fmt::format(
            "switches          {}, root{} {}; by level from the root: {}\n"
            "hosts             {} ({}..{} per switch)\n"
            "cables            {} between switches: {} parallel, {} across levels beside the tree, {} on a level; {} "
            "open ports\n"
            "cables per switch {}..{}, mean {:.2f}; {} at the root\n",
            d.switches, roots.size() == 1 ? "" : "s", fmt::join(roots, ", "), levels, d.hosts, d.least_hosts,
            d.largest_hosts, d.links, d.parallel_links, d.cross_level_links, d.same_level_links, d.open_ports,
            d.least_degree, d.largest_degree, d.mean_degree, d.root_links);
        if (d.distances_known) {
            text +=
                fmt::format("distance          mean {:.2f} links by any path, {:.2f} by up*/down*; longest {} and {}\n",
                            d.mean_distance, d.mean_legal_distance, d.diameter, d.legal_diameter);
        }
        return text;
    }
};

class irregular_kind final : public switches {
public:
    irregular_kind()
        : switches({.name = "irregular", .doc = "random networks of switches", .of = traits::chips::switches}) {}

    std::vector<key> keys() const override {
        return {{.path = "network.topology.switches",
                 .type = v::number,
                 .fallback = "8",
                 .least = "1",
                 .most = "65536",
                 .doc = "Number of switches.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::switches>},
                {.path = "network.topology.ports",
                 .type = v::number,
                 .fallback = "8",
                 .least = "2",
                 .most = "64",
                 .doc = "Ports of every switch.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::ports>},
                {.path = "network.topology.hosts",
                 .type = v::number,
                 .fallback = "32",
                 .least = "2",
                 .most = "65536",
                 .doc = "Number of hosts.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::hosts>},
                {.path = "network.topology.connectivity",
                 .type = v::number,
                 .fallback = "0.8",
                 .unit = dimension::fraction,
                 .whole = false,
                 .least = "0",
                 .most = "1",
                 .doc = "Fraction of the ports without a host that is cabled to other switches.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::connectivity>},
                {.path = "network.topology.placement",
                 .type = v::choice,
                 .fallback = "random",
                 .choices = {{"random", "on ports drawn from all ports alike"},
                             {"even", "the same number on every switch, for large networks"}},
                 .doc = "How hosts are spread over the switches.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::placement>},
                {.path = "network.topology.instances",
                 .type = v::number,
                 .fallback = "10",
                 .least = "1",
                 .most = "1000",
                 .doc = "Number of random networks, each of which runs every workload.",
                 .source = scenario::tr41,
                 .store = into<net, topo, &T::instances>},
                {.path = "network.topology.seed",
                 .type = v::number,
                 .fallback = "1",
                 .least = "0",
                 .doc = "Seed of the first network; the next ones count on from it.",
                 .store = into<net, topo, &T::seed>}};
    }

    std::vector<named_graph> graphs(const loaded& scenario) const override {
        const T& t = scenario.values.network.topology;
        std::vector<named_graph> made;
        for (std::uint64_t index = 0; index < t.instances; ++index) {
            try {
                made.push_back({"irregular-" + std::to_string(index + 1),
                                hw::topology::make_irregular(
                                    {t.switches, t.ports, t.hosts, t.connectivity, t.seed + index, t.placement})});
            } catch (const hw::input_error& refused) {
                scenario.fail("network.topology", refused.what());
            }
        }
        return made;
    }
};

class file_kind final : public switches {
public:
    file_kind()
        : switches({.name = "file",
                    .doc = "one network of switches, from a file",
                    .of = traits::chips::switches,
                    .from_file = true}) {}

    std::vector<key> keys() const override {
        return {{.path = "network.topology.path",
                 .type = v::text,
                 .required = true,
                 .file = true,
                 .doc = "Topology file; relative to the scenario, or on the command line to the current folder.",
                 .store = into<net, topo, &T::path>},
                {.path = "network.topology.format",
                 .type = v::choice,
                 .fallback = "auto",
                 .choices = formats(),
                 .doc = "Format of the file.",
                 .store = store_format}};
    }

    std::vector<named_graph> graphs(const loaded& scenario) const override {
        const T& t = scenario.values.network.topology;
        const std::string name = std::filesystem::path(t.path).stem().string();
        try {
            const std::string path = scenario.topology_path();
            std::vector<std::string> warnings;
            hw::topology::graph network =
                hw::topology::read_topology_text(path, scenario.files->text_of(path, "topology file"), t.format,
                                                 [&](const std::string& text) { warnings.push_back(text); });
            return {{name, std::move(network), std::move(warnings)}};
        } catch (const hw::input_error&) {
            std::error_code failed;
            if (std::filesystem::exists(scenario.topology_path(), failed)) throw;
            scenario.fail("network.topology.path", "there is no topology file '" + scenario.topology_path() + "'");
        }
    }
};

}  // namespace

const kind& irregular() {
    static const irregular_kind one;
    return one;
}

const kind& file() {
    static const file_kind one;
    return one;
}

}  // namespace polycast::tlm::topologies
