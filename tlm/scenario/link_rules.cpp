// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "tlm/scenario/rules.h"

namespace polycast::tlm::scenario {

namespace {

/// What asks for flits on wires, and how to do without.
struct wish {
    std::string key;
    std::string does;  ///< "a link layer repeats"
    std::string proposal;
};

wish wish_of(const settings& s) {
    if (s.network.link.has_layer())
        return {"network.link.layer", "a link layer repeats", "take 'network.link.layer: none'"};
    if (!s.network.has_link_layer()) return {"faults", "faults spoil", "leave out 'faults'"};
    const auto first = std::ranges::find_if(s.network.cables, [](const auto& one) { return one.what.has_layer(); });
    return {"network.link.cables." + first->name + ".layer", "a link layer repeats", "leave out 'network.link.cables'"};
}

void check_times(const loaded& result) {
    const fault_settings& faults = result.values.faults;
    for (std::size_t i = 0; i < faults.links.size(); ++i)
        if (faults.links[i].what.to <= faults.links[i].what.from)
            result.fail("faults.links[" + std::to_string(i) + "].to", "faults end before they begin",
                        "take a later 'to'");
    for (std::size_t i = 0; i < faults.events.size(); ++i) {
        const hw::faults::fault_event& event = faults.events[i].what;
        const bool hang = faults.events[i].hang;
        const bool dies = !hang && event.what == hw::faults::fault_kind::dead;
        const bool lasts = hang || dies || event.what == hw::faults::fault_kind::stuck;
        if (hang && event.until == hw::engine::never && result.values.ni.watchdog == 0)
            result.fail("faults.events[" + std::to_string(i) + "].what",
                        "an interface whose processor stands still for ever holds all that goes there",
                        "say 'until', or take 'ni.watchdog: 100000'");
        if (dies && event.until == hw::engine::never && !faults.told)
            result.fail("faults.events[" + std::to_string(i) + "].what",
                        "a link that is dead for ever loses messages, which fails the run",
                        "say 'until', or take 'faults.verdict: reported'");
        if (lasts && event.until <= event.at)
            result.fail("faults.events[" + std::to_string(i) + "].until", "a fault ends before it begins",
                        "take a later 'until'");
    }
}

void check_verdict(const loaded& result) {
    const settings& s = result.values;
    const auto no_messages = [](const workload_settings& w) {
        const bool program = w.kind == traffic_kind::program || w.kind == traffic_kind::collective;
        return w.kind != traffic_kind::unicast && w.kind != traffic_kind::multicast && w.kind != traffic_kind::list &&
               !(program && w.reliable);
    };
    if (s.faults.told && std::ranges::any_of(s.workloads, no_messages))
        result.fail("faults.verdict",
                    "only of workloads of the kinds 'unicast', 'multicast' and 'list', and of reliable programs, it is "
                    "known what hosts were told",
                    "take 'exact'");
}

/// What a network is of where its chips are neither switches nor routers flit by flit with interfaces at them.
const char* other_chips(const settings& s) {
    if (s.network.topology.has_sites()) return "sites";
    if (std::ranges::count(s.workloads, traffic_kind::broadcast, &workload_settings::kind) != 0)
        return "broadcast routers";
    if (s.network.all == fidelity::event) return "switches of 'fidelity: event'";
    if (s.host.model == host_model::ideal) return "chips with ideal hosts";
    return nullptr;
}

/// Chips whose memories have codes are replicating switches, routers, link ends and interfaces.
void check_protection(const loaded& result) {
    const settings& s = result.values;
    const protect_settings& codes = s.protect;
    using code = protect_settings::code;
    for (const auto& [name, of] : {std::pair{"rings", codes.rings}, {"counters", codes.counters}})
        if (of != code::none && !s.network.has_link_layer())
            result.fail(std::string("protect.") + name,
                        "without a link layer there are no link ends that have " + std::string(name),
                        "leave it out, or take 'network.link.layer: retry'");
    if (codes.packets != code::none && (s.host.model == host_model::ideal || s.network.topology.has_sites()))
        result.fail("protect.packets",
                    std::string(s.network.topology.has_sites() ? "hosts of sites" : "ideal hosts") +
                        " have no packet memory that can be upset",
                    "leave it out, or take 'host.model: interface'");
    const auto is_native = [](processor_kind of) { return of == processor_kind::native; };
    if (codes.firmware != code::none &&
        (s.host.model == host_model::ideal || s.network.topology.has_sites() ||
         (is_native(s.ni.all) &&
          std::ranges::all_of(s.ni.hosts, is_native, &std::pair<const std::string, processor_kind>::second))))
        result.fail("protect.firmware", "there is no processor with a data memory of its own",
                    "leave it out, or take 'ni.processor: iss' or 'rtl'");
    if (!codes.any_of_chips()) return;
    const std::string key = codes.buffers != code::none  ? "protect.buffers"
                            : codes.routes != code::none ? "protect.routes"
                                                         : "protect.credits";
    const char* const other = s.network.tables.on ? "VL switches" : other_chips(s);
    if (other != nullptr)
        result.fail(key, std::string("memories of ") + other + " have no codes yet",
                    "leave out 'protect', or take a network of replicating switches or routers, such as "
                    "'network.topology.kind: irregular' or 'mesh', with interfaces");
    if (codes.routes != code::none && s.network.topology.is_grid() && !s.router.route_tables)
        result.fail("protect.routes", "routers that route by dimension order have no table of routes",
                    "leave it out, or take 'router.routing: table'");
}

void check_doors(const loaded& result) {
    if (const char* const other = other_chips(result.values))
        result.fail("host.check_source", std::string(other) + " have no tables of sources",
                    "leave it out, or take a network of switches, routers or VL switches with interfaces");
}

}  // namespace

void check_links(const loaded& result) {
    const settings& s = result.values;
    check_protection(result);
    if (s.host.check_source) check_doors(result);
    check_times(result);
    if (s.faults.hangs() && (s.host.model == host_model::ideal || s.network.topology.has_sites()))
        result.fail("faults.events", "a 'hang' is one of an interface's processor, and here are none", "leave it out");
    if (s.faults.interface_upsets() && (s.host.model == host_model::ideal || s.network.topology.has_sites()))
        result.fail("faults.events", "an 'upset' of 'packets' or 'firmware' is one of an interface, and here are none",
                    "leave it out");
    check_verdict(result);
    if (s.faults.upsets() &&
        (s.host.model == host_model::ideal || s.network.all == fidelity::event || s.network.topology.has_sites()))
        result.fail("faults.events", "an 'upset' is one of a memory in a switch or router, and here are none",
                    "leave it out");
    if (!s.network.has_link_layer() && !s.faults.any()) return;
    if (s.network.topology.has_sites())
        result.fail("faults", "'faults' has no meaning with 'network.topology.kind: sites'", "leave it out");
    const wish who = wish_of(s);
    if (s.network.all == fidelity::event)
        result.fail(who.key, who.does + " flits, and with 'network.fidelity: event' there are none",
                    who.proposal + ", or take 'network.fidelity: core'");
    if (std::ranges::count(s.workloads, traffic_kind::broadcast, &workload_settings::kind) != 0)
        result.fail(who.key,
                    "broadcast units send without credits beside side wires, so no ring bounds what a link end has to "
                    "keep",
                    who.proposal);
    if (s.host.model == host_model::ideal)
        result.fail(who.key, "with 'host.model: ideal' cables have no link layer and no faults",
                    who.proposal + ", or take 'host.model: interface'");
}

}  // namespace polycast::tlm::scenario
