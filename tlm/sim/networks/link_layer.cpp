// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/link_layer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/faults/plain_cable.h"
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

/// Frames and where their trailers are. \param at the section, "network.link."
void check_frame(const loaded& scenario, const std::string& at, const link_config& c) {
    if (c.beside && c.flit_bytes < 4)
        scenario.fail(at + "trailer",
                      "'trailer: beside' needs flits of 4 bytes or more, and they have " + std::to_string(c.flit_bytes),
                      "take 'trailer: inline', or wider flits");
    if (c.beside && c.frame != automatic && c.frame != 1)
        scenario.fail(at + "frame", "with 'trailer: beside' a frame is one flit, not " + std::to_string(c.frame),
                      "take 'auto', or 'trailer: inline'");
    if (c.frame == automatic) return;
    const std::uint64_t most = (hw::chips::most_covered_bits - 32) / (8 * std::uint64_t{c.flit_bytes} + 8);
    if (c.frame > most)
        scenario.fail(at + "frame",
                      "a frame of " + std::to_string(c.frame) + " flits of " + std::to_string(c.flit_bytes) +
                          " B has more bits than its check word finds 5 flips in, " +
                          std::to_string(hw::chips::most_covered_bits),
                      "take at most " + std::to_string(most));
}

/// A time that has to be at least `least`.
void check_time(const loaded& scenario, const std::string& key, std::uint64_t value, std::uint64_t least,
                const std::string& because) {
    if (value == automatic || value == 0 || value >= least) return;
    scenario.fail(
        key,
        "'" + key + "' of " + std::to_string(value) + " cycles is less than " + std::to_string(least) + ", " + because,
        "take at least " + std::to_string(least) + " cycle");
}

hw::system::named_faults faults_of(const scenario::settings& s) {
    hw::system::named_faults all;
    all.seed = s.faults.seed.value_or(s.seed);
    for (const auto& each : s.faults.links) all.rates.emplace_back(each.link, each.what);
    for (const auto& each : s.faults.events)
        if (!each.hang && !each.memory && !each.of_host) all.events.emplace_back(each.link, each.what);
    return all;
}

/// Wires of a direction of a cable.
unsigned wires_of(const hw::system::system_plan& plan, const hw::system::planned_cable& cable) {
    if (cable.layer) return hw::chips::symbol_wires(hw::system::config_of(plan, cable));
    const hw::ni::ni_params& interface = plan.host.interface;
    return hw::faults::plain_wires(interface.flit_bytes, interface.header_bytes).count();
}

/// One entry of `faults`, on one plan.
class fault_check {
public:
    /// \param path of the entry
    fault_check(const loaded& scenario, const hw::system::system_plan& plan, std::string path, const std::string& link,
                bool end = false)
        : scenario_(scenario), path_(std::move(path)) {
        std::vector<std::string> names;
        if (!end) names.emplace_back(hw::system::named_faults::all_links);
        for (const hw::system::planned_cable& cable : plan.cables) {
            for (const hw::engine::port_id port : {cable.a, cable.b}) {
                names.push_back(plan.port_text(port));
                const bool all = !end && link == names.front() && port == cable.a;
                if (link != names.back() && !all) continue;
                hit_.push_back(&cable);
                at_b_ = port == cable.b;
            }
        }
        if (hit_.empty())
            scenario.fail(path_ + (end ? ".chip" : ".link"),
                          (end ? "there is no link end at '" : "no link leads away from '") + link + "'",
                          scenario::propose(link, names));
        for (const hw::system::planned_cable* cable : hit_)
            if (cable->layer) configs_.push_back(hw::system::config_of(plan, *cable));
        wires_ = wires_of(plan, *hit_.front());
        for (const hw::system::planned_cable* cable : hit_) wires_ = std::min(wires_, wires_of(plan, *cable));
    }

    void check(const hw::faults::fault_event& event) const {
        using hw::faults::fault_kind;
        for (const unsigned wire : event.wires)
            if (wire >= wires_)
                scenario_.fail(path_ + (event.what == fault_kind::flip ? ".bits" : ".wire"),
                               "there is no wire " + std::to_string(wire) + ": links have " + std::to_string(wires_),
                               "take 0.." + std::to_string(wires_ - 1));
        if (event.what == fault_kind::dead && event.until == hw::engine::never) check_dead();
        if (event.what == fault_kind::upset) return check_upset(event.upset);
        const bool layered = event.what == fault_kind::frame || event.what == fault_kind::set;
        if (layered && configs_.empty())
            scenario_.fail(path_ + ".what", "without a link layer there are no frames and no ordered sets",
                           "take 'lose' or 'flip', or 'network.link.layer: retry'");
        if (event.what != fault_kind::frame) return;
        for (const link_config& config : configs_)
            if (event.number > config.sequence_mask())
                scenario_.fail(path_ + ".number",
                               "there is no frame " + std::to_string(event.number) + " where numbers have " +
                                   std::to_string(config.sequence_bits) + " bits",
                               "take 0.." + std::to_string(config.sequence_mask()));
    }

private:
    /// A link that is dead for ever must let go of what its chips send.
    void check_dead() const {
        for (const link_config& config : configs_) {
            const bool blocks = config.flush_action == hw::chips::link_action::block;
            if (blocks || config.signal_timeout == 0)
                scenario_.fail(path_ + ".what",
                               std::string("with '") + (blocks ? "flush_action: block" : "signal_timeout: never") +
                                   "' a link that is dead for ever holds its chips for ever",
                               blocks ? "take 'flush_action: discard', or say 'until'"
                                      : "take 'signal_timeout: auto', or say 'until'");
        }
    }

    void check_upset(const hw::chips::link_upset& upset) const {
        using hw::chips::link_memory;
        if (configs_.empty())
            scenario_.fail(path_ + ".chip", "that cable has no link layer, and nothing is stored in it",
                           "take 'network.link.layer: retry', or a 'flip' of its wires");
        const link_config config = at_b_ ? hw::chips::other_end(configs_.front()) : configs_.front();
        const bool ring = upset.memory == link_memory::ring;
        const std::uint64_t indexes = ring ? config.ring_flits() : 4 * std::uint64_t{config.vcs};
        const std::uint64_t bits = ring ? hw::chips::ring_bits(config) : hw::chips::credit_bits;
        if (upset.index >= indexes)
            scenario_.fail(path_ + ".index",
                           (ring ? "the ring has " + std::to_string(indexes) + " flits"
                                 : "there are " + std::to_string(indexes) + " counters") +
                               ", so none has the index " + std::to_string(upset.index),
                           "take 0.." + std::to_string(indexes - 1));
        if (upset.bit >= bits)
            scenario_.fail(path_ + ".bit",
                           (ring ? "a flit there has " : "a counter has ") + std::to_string(bits) + " bits, not bit " +
                               std::to_string(upset.bit),
                           "take 0.." + std::to_string(bits - 1));
    }

    const loaded& scenario_;
    std::string path_;
    std::vector<const hw::system::planned_cable*> hit_;
    std::vector<link_config> configs_;  ///< of those with a layer
    bool at_b_ = false;                 ///< the end that is named is the far one
    unsigned wires_ = 0;                ///< that all of them have
};

/// Keys of a cable, with their place.
std::string section_of(const scenario::cable_settings& cable) {
    return "network.link.cables." + cable.name + ".";
}

/// Registers of the link ends of a cable; nothing without a layer.
std::optional<link_config> registers_of(const loaded& scenario, const scenario::link_settings& given,
                                        const std::string& at) {
    const scenario::settings& s = scenario.values;
    if (!given.has_layer()) return std::nullopt;
    link_config c = given.registers;
    c.flit_bytes = flit_bytes_of(s);
    c.delay = s.network.link_delay;
    if (!c.retries()) {
        // What cables with `retry` have, and this one has no use for.
        const link_config usual;
        c.window = usual.window;
        c.window_bytes = usual.window_bytes;
        c.age_timeout = usual.age_timeout;
        c.sequence_bits = usual.sequence_bits;
    }
    check_frame(scenario, at, c);
    c.ack_spacing = in_flits(given.ack_bytes, c.flit_bytes);
    c.credit_spacing = std::max<std::uint64_t>(in_flits(given.credit_bytes, c.flit_bytes), 2 * c.set_symbols());
    const std::uint64_t half = std::uint64_t{1} << (c.sequence_bits - 1);
    if (c.window != automatic && c.window > half)
        scenario.fail(at + "window",
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
        scenario.fail(at + "window_bytes",
                      "a window of " + std::to_string(c.window_bytes) + " B does not hold a frame of " +
                          std::to_string(frame_bytes) + " B",
                      "take at least " + std::to_string(frame_bytes) + " B");
    check_time(scenario, at + "replay_timer", c.replay_timer, derived.least_timer(),
               "after which an acknowledgement may come without any fault");
    const std::uint64_t timer = c.replay_timer == automatic ? derived.replay_timer : c.replay_timer;
    check_time(scenario, at + "credit_timer", c.credit_timer, timer, "the replay timer");
    const std::string given_up = "in which a link gives up: " + std::to_string(c.replay_count + 1) + " replay timers";
    check_time(scenario, at + "age_timeout", c.age_timeout, timer * (c.replay_count + 1), given_up);
    check_time(scenario, at + "lifetime", c.lifetime, timer * (c.replay_count + 1), given_up);
    return c;
}

}  // namespace

void check_cables(const loaded& scenario, const std::vector<hw::system::system_plan>& plans) {
    std::vector<std::string> lower, layered;
    std::map<std::string, std::string> upper;  ///< and the lower end of that cable
    for (const hw::system::system_plan& plan : plans) {
        for (const hw::system::planned_cable& cable : plan.cables) {
            lower.push_back(plan.port_text(cable.a));
            upper.emplace(plan.port_text(cable.b), lower.back());
            if (cable.layer) layered.push_back(lower.back());
        }
    }
    const auto refuse = [&](const std::string& key, const std::string& name, const std::vector<std::string>& names) {
        const auto other = upper.find(name);
        const bool end = other != upper.end() && std::ranges::find(names, other->second) != names.end();
        scenario.fail(key, "there is no cable with the lower end '" + name + "'",
                      end ? "that cable is '" + other->second + "'" : scenario::propose(name, names));
    };
    for (const scenario::cable_settings& cable : scenario.values.network.cables)
        if (std::ranges::find(lower, cable.name) == lower.end())
            refuse("network.link.cables." + cable.name, cable.name, lower);
    for (const auto& [name, fidelity] : scenario.values.network.chips) {
        const bool here = name.find(':') == std::string::npos || plans.front().network.find_switch(name) ||
                          std::ranges::find(layered, name) != layered.end();
        if (!here) refuse("network.chips." + name, name, layered);
    }
}

void check_faults(const loaded& scenario, const hw::system::system_plan& plan) {
    const scenario::fault_settings& faults = scenario.values.faults;
    for (std::size_t i = 0; i < faults.links.size(); ++i)
        fault_check(scenario, plan, "faults.links[" + std::to_string(i) + "]", faults.links[i].link);
    std::set<std::pair<std::string, hw::engine::cycle>> upsets;
    for (std::size_t i = 0; i < faults.events.size(); ++i) {
        const auto& [link, event, hang, memory, of_host] = faults.events[i];
        if (hang || memory || of_host) continue;
        const std::string path = "faults.events[" + std::to_string(i) + "]";
        const bool upset = event.what == hw::faults::fault_kind::upset;
        fault_check(scenario, plan, path, link, upset).check(event);
        if (upset && !upsets.emplace(link, event.at).second)
            scenario.fail(path + ".at", "two bits of one link end flip in cycle " + std::to_string(event.at),
                          "take another cycle for one");
    }
}

std::shared_ptr<const hw::system::link_layers> link_layers_of(const loaded& scenario) {
    const scenario::settings& s = scenario.values;
    if (!s.network.has_link_layer() && !s.faults.any()) return {};
    hw::system::link_layers made{registers_of(scenario, s.network.link, "network.link."), {}, faults_of(s)};
    for (const scenario::cable_settings& cable : s.network.cables)
        made.own.emplace(cable.name, registers_of(scenario, cable.what, section_of(cable)));
    return std::make_shared<const hw::system::link_layers>(std::move(made));
}

}  // namespace polycast::tlm::sim
