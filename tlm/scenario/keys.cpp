// SPDX-License-Identifier: Apache-2.0
#include "tlm/scenario/keys.h"

#include <algorithm>

#include "tlm/scenario/kind_rules.h"
#include "tlm/topologies/kind.h"

namespace polycast::tlm::scenario {

namespace {

using topologies::traits;

condition topologies_that(bool (*fit)(const traits&)) {
    condition made{"network.topology.kind", {}};
    for (const topologies::kind* one : topologies::all())
        if (fit(one->is())) made.values.push_back(one->is().name);
    return made;
}

}  // namespace

const condition with_switches = topologies_that([](const traits& of) { return of.of == traits::chips::switches; });
const condition with_routers = topologies_that([](const traits& of) { return of.of == traits::chips::routers; });
const condition with_choices = topologies_that([](const traits& of) { return of.chooses; });
const condition with_grids = topologies_that([](const traits& of) { return of.grid; });
const condition with_rail_networks = topologies_that([](const traits& of) { return of.rails; });
const condition without_sites = topologies_that([](const traits& of) { return of.of != traits::chips::lanes; });
const condition with_sites = topologies_that([](const traits& of) { return of.of == traits::chips::lanes; });

const std::vector<key>& keys() {
    static const std::vector<key> all = [] {
        std::vector<key> joined;
        const auto add = [&](const std::vector<key>& more) { joined.insert(joined.end(), more.begin(), more.end()); };
        for (const auto part : {network_keys, switch_keys, router_keys, host_keys, ni_keys}) add(part());
        for (const kind_rules& kind : all_kind_rules())
            if (kind.sections != nullptr) add(kind.sections());
        add(workload_keys());
        for (const kind_rules& kind : all_kind_rules()) add(kind.keys());
        add(fault_keys());
        add(protect_keys());
        add(measurement_keys());
        return joined;
    }();
    return all;
}

const key* find_key(std::string_view path) {
    const auto found = std::find_if(keys().begin(), keys().end(), [&](const key& k) { return k.path == path; });
    return found == keys().end() ? nullptr : &*found;
}

std::vector<const key*> keys_in(std::string_view parent) {
    std::vector<const key*> found;
    for (const key& k : keys()) {
        if (k.parent() == parent) found.push_back(&k);
    }
    return found;
}

const key& chooser_of(const key& k, const condition& c) {
    return *find_key(c.is_elsewhere() ? std::string(c.key) : std::string(k.parent()) + "." + std::string(c.key));
}

std::string range_text(const key& k) {
    const auto with_unit = [&](std::string_view bound) {
        const std::string_view unit = base_unit(k.unit);
        return std::string(bound) + (unit.empty() ? "" : " ") + std::string(unit);
    };
    if (!k.least.empty() && !k.most.empty()) return std::string(k.least) + ".." + with_unit(k.most);
    if (!k.least.empty()) return "at least " + with_unit(k.least);
    return k.most.empty() ? "" : "at most " + with_unit(k.most);
}

}  // namespace polycast::tlm::scenario
