// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "hw/routing/wait_cycle.h"
#include "hw/system/diagnosis.h"
#include "hw/system/packet_places.h"

namespace polycast::hw::system {

namespace {

/// Who waits for whom, by channels: a direction of a cable and a lane, named by its sender.
class channel_waits {
public:
    channel_waits(const system_plan& plan, const engine::chip_network& network, const packet_places& places)
        : plan_(plan), places_(places), vcs_(plan.vcs()), peers_(plan.peers()) {
        for (std::uint32_t chip = 0; chip < plan.switch_count(); ++chip) {
            engine::chip_probe probe;
            network.probe(chip, probe);
            for (unsigned entry = 0; entry < probe.inputs.size(); ++entry) look_at(chip, entry, probe);
        }
        if (plan.host.interface.receive_slots == 0) return;
        for (const engine::chip_id host : plan.hosts) look_at_host(host, network);
    }

    std::string text() const {
        std::string all;
        const std::vector<routing::wait> cycle = routing::find_wait_cycle(waits_);
        const std::size_t shown = cycle.empty() ? std::min(most_named, waits_.size()) : cycle.size();
        for (std::size_t i = 0; i < shown; ++i) {
            const routing::wait& one = cycle.empty() ? waits_[i] : cycle[i];
            const auto packet = packets_.find(one.holder);
            all += (i == 0 ? "" : "; ") + one.waiter + " holds " + packets_.at(one.waiter) + ", which waits for " +
                   one.reason + (packet == packets_.end() ? "" : ", held by " + packet->second);
        }
        if (all.empty()) return all;
        return (cycle.empty() ? "; waiting: " : "; wait cycle: ") + all;
    }

private:
    std::string channel(std::uint32_t chip, unsigned port, unsigned vl) const {
        return plan_.port_text({chip, port}) + "/vl" + std::to_string(vl);
    }

    void look_at(std::uint32_t chip, unsigned entry, const engine::chip_probe& probe) {
        const unsigned in = entry / vcs_;
        if (probe.inputs[entry].waiting == 0) return;
        const std::optional<packet_places::packet> packet = places_.first(chip, entry);
        if (!packet) return;
        const engine::port_id from = peers_[chip][in];
        const std::string waiter = channel(from.chip, from.port, entry % vcs_);
        packets_.emplace(waiter, places_.text(*packet));
        for (std::uint64_t set = probe.inputs[entry].waiting; set != 0; set &= set - 1) {
            const auto out = static_cast<unsigned>(std::countr_zero(set));
            const unsigned vl = places_.lane(chip, in, out, *packet);
            if (vl >= vcs_) continue;
            const auto* const first = &probe.outputs[out * vcs_];
            const bool held = std::any_of(first, first + vcs_, [](const auto& lane) { return lane.held; });
            const std::string holder = channel(chip, out, vl);
            const unsigned needed = plan_.reserve();
            if (held)
                waits_.push_back({waiter, plan_.port_text({chip, out}), "its turn at " + plan_.port_text({chip, out})});
            else if (first[vl].credits < needed)
                waits_.push_back({waiter, holder,
                                  (needed == 1 ? "a credit" : std::to_string(needed) + " credits") + " of " + holder});
        }
    }

    /// With limited memory what a host has received may wait for what it sends.
    void look_at_host(engine::chip_id host, const engine::chip_network& network) {
        engine::chip_probe probe;
        network.probe(host, probe);
        const engine::port_id from = peers_[host][0];
        for (unsigned entry = 0; entry < vcs_; ++entry) {
            if (!probe.outputs[entry].held || probe.outputs[entry].credits != 0) continue;
            const std::string holder = channel(host, 0, entry);
            for (unsigned vl = 0; vl < vcs_; ++vl) {
                const std::string waiter = channel(from.chip, from.port, vl);
                packets_.emplace(waiter, "packets that " + plan_.chips[host].name + " has");
                waits_.push_back({waiter, holder, "a credit of " + holder});
            }
        }
    }

    const system_plan& plan_;
    const packet_places& places_;
    unsigned vcs_;
    std::vector<std::vector<engine::port_id>> peers_;
    std::vector<routing::wait> waits_;
    std::map<std::string, std::string> packets_;  ///< at the front of what a channel leads to
};

}  // namespace

std::string lane_diagnosis(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network,
                           const packet_places& places) {
    return diagnosis_head(plan, goal, network) + channel_waits(plan, network, places).text();
}

}  // namespace polycast::hw::system
