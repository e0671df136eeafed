// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/link_layer.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"
#include "hw/system/link_layer.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/networks/instance_parts.h"

namespace polycast::tlm::sim {

using hw::chips::automatic;
using hw::chips::link_config;
using scenario::loaded;

namespace {

std::uint64_t in_flits(std::uint64_t bytes, unsigned flit_bytes) {
    return (bytes + flit_bytes - 1) / flit_bytes;
}

/// Frames and where their trailers are.
void check_frame(const loaded& scenario, const link_config& c) {
    if (c.beside && c.flit_bytes < 4)
        scenario.fail("network.link.trailer",
                      "'trailer: beside' needs flits of 4 bytes or more, and they have " + std::to_string(c.flit_bytes),
                      "take 'trailer: inline', or wider flits");
    if (c.beside && c.frame != automatic && c.frame != 1)
        scenario.fail("network.link.frame",
                      "with 'trailer: beside' a frame is one flit, not " + std::to_string(c.frame),
                      "take 'auto', or 'trailer: inline'");
    if (c.frame == automatic) return;
    const std::uint64_t most = (hw::chips::most_covered_bits - 32) / (8 * std::uint64_t{c.flit_bytes} + 8);
    if (c.frame > most)
        scenario.fail("network.link.frame",
                      "a frame of " + std::to_string(c.frame) + " flits of " + std::to_string(c.flit_bytes) +
                          " B has more bits than its check word finds 5 flips in, " +
                          std::to_string(hw::chips::most_covered_bits),
                      "take at most " + std::to_string(most));
}

/// A time that has to be at least `least`.
void check_time(const loaded& scenario, const std::string& key, std::uint64_t value, std::uint64_t least,
                const std::string& because) {
    if (value == automatic || value == 0 || value >= least) return;
    scenario.fail("network.link." + key,
                  "'network.link." + key + "' of " + std::to_string(value) + " cycles is less than " +
                      std::to_string(least) + ", " + because,
                  "take at least " + std::to_string(least) + " cycle");
}

hw::system::named_faults faults_of(const scenario::settings& s) {
    hw::system::named_faults all;
    all.seed = s.faults.seed.value_or(s.seed);
    for (const auto& each : s.faults.links) all.rates.emplace_back(each.link, each.what);
    for (const auto& each : s.faults.events) all.events.emplace_back(each.link, each.what);
    return all;
}

/// Whether `link` has the wires that an event names.
void check_link(const loaded& scenario, const hw::system::system_plan& plan, const std::string& path,
                const std::string& link, const std::vector<unsigned>& wires) {
    const unsigned all = plan.layered.empty()
                             ? 0
                             : hw::chips::symbol_wires(hw::system::config_of(plan, plan.cables[plan.layered.front()]));
    for (const unsigned wire : wires)
        if (wire >= all)
            scenario.fail(path, "there is no wire " + std::to_string(wire) + ": links have " + std::to_string(all),
                          "take 0.." + std::to_string(all - 1));
    if (link == hw::system::named_faults::all_links) return;
    std::vector<std::string> names{hw::system::named_faults::all_links};
    for (const std::size_t index : plan.layered)
        for (const hw::engine::port_id port : {plan.cables[index].a, plan.cables[index].b})
            names.push_back(plan.port_text(port));
    if (std::ranges::find(names, link) == names.end())
        scenario.fail(path, "no link leads away from '" + link + "'", scenario::propose(link, names));
}

}  // namespace

void check_cables(const loaded& scenario, const hw::system::system_plan& plan) {
    if (plan.layered.empty()) return;
    std::vector<std::string> names;
    for (auto id = static_cast<hw::engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        names.push_back(plan.name_of(id));
    for (const auto& [name, fidelity] : scenario.values.network.chips) {
        const bool here = name.find(':') == std::string::npos || plan.network.find_switch(name) ||
                          std::ranges::find(names, name) != names.end();
        if (!here)
            scenario.fail("network.chips." + name, "there is no cable with the lower end '" + name + "'",
                          scenario::propose(name, names));
    }
}

void check_faults(const loaded& scenario, const hw::system::system_plan& plan) {
    const scenario::fault_settings& faults = scenario.values.faults;
    for (std::size_t i = 0; i < faults.links.size(); ++i)
        check_link(scenario, plan, "faults.links[" + std::to_string(i) + "].link", faults.links[i].link, {});
    for (std::size_t i = 0; i < faults.events.size(); ++i)
        check_link(scenario, plan, "faults.events[" + std::to_string(i) + "].link", faults.events[i].link,
                   faults.events[i].what.wires);
}

std::shared_ptr<const hw::system::link_layers> link_layers_of(const loaded& scenario) {
    const scenario::settings& s = scenario.values;
    link_config c = s.network.link.registers;
    if (c.layer == hw::chips::link_layer::none) return {};
    c.flit_bytes = flit_bytes_of(s);
    c.delay = s.network.link_delay;
    check_frame(scenario, c);
    c.ack_spacing = in_flits(s.network.link.ack_bytes, c.flit_bytes);
    c.credit_spacing =
        std::max<std::uint64_t>(in_flits(s.network.link.credit_bytes, c.flit_bytes), 2 * c.set_symbols());
    const std::uint64_t half = std::uint64_t{1} << (c.sequence_bits - 1);
    if (c.window != automatic && c.window > half)
        scenario.fail("network.link.window",
                      "a window of " + std::to_string(c.window) + " frames is more than half the " +
                          std::to_string(2 * half) + " sequence numbers",
                      "take at most " + std::to_string(half) + ", or more 'sequence_bits'");
    link_config derived = c;  // with the least times
    derived.window = derived.window_bytes = derived.replay_timer = derived.credit_timer = derived.signal_timeout =
        automatic;
    derived.age_timeout = derived.lifetime = 0;
    derived.far.credits.fill(1);
    derived.own.credits.fill(1);
    derived = hw::chips::checked(derived);
    const std::uint64_t frame_bytes = derived.frame * c.flit_bytes;
    if (c.window_bytes != automatic && c.window_bytes < frame_bytes)
        scenario.fail("network.link.window_bytes",
                      "a window of " + std::to_string(c.window_bytes) + " B does not hold a frame of " +
                          std::to_string(frame_bytes) + " B",
                      "take at least " + std::to_string(frame_bytes) + " B");
    check_time(scenario, "replay_timer", c.replay_timer, derived.least_timer(),
               "after which an acknowledgement may come without any fault");
    const std::uint64_t timer = c.replay_timer == automatic ? derived.replay_timer : c.replay_timer;
    check_time(scenario, "credit_timer", c.credit_timer, timer, "the replay timer");
    const std::string given_up = "in which a link gives up: " + std::to_string(c.replay_count + 1) + " replay timers";
    check_time(scenario, "age_timeout", c.age_timeout, timer * (c.replay_count + 1), given_up);
    check_time(scenario, "lifetime", c.lifetime, timer * (c.replay_count + 1), given_up);
    return std::make_shared<const hw::system::link_layers>(hw::system::link_layers{c, {}, faults_of(s)});
}

}  // namespace polycast::tlm::sim
