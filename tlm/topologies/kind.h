// SPDX-License-Identifier: Apache-2.0
/// \file A kind of topology, with everything that differs between kinds: keys, rules, graphs, routers with their routes
/// and virtual channels, and how a network is described and drawn. Loader, schema, keys page, runs and results call it.
#pragma once

#include <any>
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/fabric/fabric_config.h"
#include "hw/system/plan.h"
#include "tlm/scenario/key_tables.h"
#include "tlm/scenario/load.h"
#include "tlm/scenario/text_sink.h"

namespace polycast::tlm::topologies {

using scenario::loaded;

/// What other keys and rules ask about a kind.
struct traits {
    enum class chips : std::uint8_t { switches, routers, lanes };

    std::string_view name;
    std::string_view doc;  ///< one sentence
    chips of = chips::routers;
    bool grid = false;             ///< a mesh or torus: dimension order, ideal hosts, allgathers
    bool rings = false;            ///< the grid has rings
    bool rails = false;            ///< hosts may have interfaces at several such networks
    bool chooses = false;          ///< tables offer several ports, `router.select` chooses
    bool broadcasts_only = false;  ///< no other workload
    bool from_file = false;        ///< `network.topology.path` is read
    bool listed = true;            ///< `topology` and `analyse plan` list it chip by chip
};

struct named_graph {
    std::string name;
    hw::topology::graph network;
    std::vector<std::string> warnings = {};  ///< of its file, for people
};

/// A network to describe or draw.
struct shown {
    const loaded& scenario;
    const hw::topology::graph& network;
    const hw::system::system_params& params;
};

class kind {
public:
    explicit kind(const traits& what) : what_(what) {}
    virtual ~kind() = default;
    kind(const kind&) = delete;
    kind& operator=(const kind&) = delete;

    const traits& is() const { return what_; }

    /// Its rows in the table of keys, for `network.topology` with this kind; paths are leaves.
    virtual std::vector<scenario::key> keys() const = 0;
    /// Checks keys against each other, and fills in values that follow from others. \throws hw::input_error at the
    /// wrong key
    virtual void check(loaded&) const {}
    /// The networks of a scenario, in order. \throws hw::input_error at the wrong key
    virtual std::vector<named_graph> graphs(const loaded&) const { return {}; }

    /// Sets what routers get from the shape, before virtual channels are assigned; `hosts`: ports for hosts and units.
    virtual void set_routers(const loaded&, hw::fabric::fabric_params&, unsigned) const {}
    /// Classes of virtual channels that its routes take, and virtual channels where the scenario leaves them open;
    /// `wanted`: by workloads.
    virtual unsigned classes(const loaded&, unsigned wanted) const { return wanted; }
    virtual unsigned vcs(const loaded& scenario, const hw::fabric::fabric_params& routers, unsigned classes,
                         unsigned wanted) const;
    /// router_tables::vc_sets. \throws hw::input_error if there are too few virtual channels
    virtual std::array<std::array<hw::chips::vc_set, 2>, 8> vc_sets(const loaded& scenario,
                                                                    const hw::fabric::fabric_params& routers,
                                                                    unsigned classes) const;
    /// Routers with tables, and hosts with interfaces. \throws hw::input_error
    virtual hw::system::system_plan plan(const loaded&, const hw::fabric::fabric_params&,
                                         const hw::system::system_params&) const {
        throw std::logic_error("a topology without routers with interfaces");
    }
    /// The key to report if its routes are bad, and what to do if they can deadlock.
    virtual std::pair<std::string, std::string> way_out(const loaded&) const {
        return {what_.of == traits::chips::routers ? "router" : "network.routing", ""};
    }

    /// Writes topology/<name>.json: the network as reports draw it. This function, dot() and text() are called only for
    /// kinds that are listed.
    virtual void draw(const shown&, const text_sink&) const {}
    /// Graphviz DOT, and a description of a few lines.
    virtual std::string dot(const shown&) const { return {}; }
    virtual std::string text(const shown&) const { return {}; }
    /// Why the network `name` is not listed, and what can be done instead.
    virtual std::pair<std::string, std::string> unlisted(const loaded&, const std::string& name) const {
        return {name + " is no network that can be listed here", ""};
    }

private:
    traits what_;
};

/// All kinds, in the order in which they are explained: kinds.cpp has the table.
const std::vector<const kind*>& all();

/// The kind of that name; nullptr if there is none.
const kind* find(std::string_view name);

/// Stores a key in the parameters of its kind, a struct that belongs to the kind.
template <class shape, auto member>
void into_shape(scenario::settings& s, const scenario::value& v) {
    std::any& held = s.network.topology.shape;
    if (std::any_cast<shape>(&held) == nullptr) held.emplace<shape>();
    assign(std::any_cast<shape&>(held).*member, v);
}

}  // namespace polycast::tlm::topologies
