// SPDX-License-Identifier: Apache-2.0
/// \file Ways whose lane depends on the path SL and on SL2VL tables.
#include "hw/subnet/unicast_walk.h"

namespace polycast::hw::subnet {

void unicast_walk::use_service_levels(unsigned lid, const lid_owner& owner, std::uint32_t t, std::uint32_t host) {
    std::uint16_t levels = 0;
    sources_.assign(16, {});
    const auto add = [&](unsigned sl, std::uint32_t s, std::uint64_t port) {
        levels = static_cast<std::uint16_t>(levels | 1u << sl);
        sources_[sl].push_back({s, port});
    };
    for (std::uint32_t s = 0; s < count_; ++s) {
        for (std::uint64_t ports = sources_at(s); ports != 0; ports &= ports - 1) {
            const auto port = static_cast<unsigned>(std::countr_zero(ports));
            add(path_sl(of_.hosts[peer(s, port).index].path_sl, lid, owner.lid), s, std::uint64_t{1} << port);
        }
        if (sends_itself(s, t, host)) add(path_sl(of_.switches[s].path_sl, lid, owner.lid), s, 0);
    }
    for (unsigned sl = 0; sl < 16; ++sl) {
        if ((levels >> sl & 1) == 0) continue;
        std::fill(inputs_.begin(), inputs_.end(), 0);
        std::fill(weight_.begin(), weight_.end(), 0);
        for (const source& one : sources_[sl]) {
            inputs_[one.chip] |= one.port;
            weight_[one.chip] |= one.port == 0 ? 3 : 1;
        }
        if (!of_.has_lanes && allowed(sl)) {
            use_tree(sl, sl);
        } else if (use_lanes(sl)) {
            lose_dropped(sl, lid, host);
        }
    }
}

bool unicast_walk::use_lanes(unsigned sl) {
    bool dropped = false;
    const auto step = [&](std::uint32_t s) {
        if (weight_[s] == 0 || out_[s] == 0xff) return;
        std::uint16_t on = 0;
        const char* reason = nullptr;
        const auto pass = [&](unsigned in, std::uint16_t vls, std::uint64_t input) {
            const auto w = state_.next_vl(s, in, out_[s] + 1u, sl, reason);
            if (!w) {
                dropped = true;
                return;
            }
            on = static_cast<std::uint16_t>(on | 1u << *w);
            if (input == 0) use(s, 0, 0, *w);
            for (; vls != 0; vls = static_cast<std::uint16_t>(vls & (vls - 1)))
                use(s, input, static_cast<unsigned>(std::countr_zero(vls)), *w);
        };
        if ((weight_[s] & 2) != 0) pass(0, 0, 0);
        for (std::uint64_t ports = inputs_[s]; ports != 0; ports &= ports - 1) {
            const auto in = static_cast<unsigned>(std::countr_zero(ports));
            const port_end& from = peer(s, in);
            std::uint16_t vls = 0;
            if (from.kind == port_end::leads_to::host) {
                const auto v = state_.first_vl(from.index, sl, reason);
                if (!v) dropped = true;
                if (v) vls = static_cast<std::uint16_t>(1u << *v);
            } else {
                vls = vls_on_[from.index];
            }
            if (vls != 0) pass(in + 1, vls, std::uint64_t{1} << in);
        }
        vls_on_[s] = static_cast<std::uint16_t>(vls_on_[s] | on);
        const std::uint32_t n = next_[s];
        if (n == nowhere || vls_on_[s] == 0) return;
        inputs_[n] |= std::uint64_t{1} << peer(s, out_[s]).port;
        weight_[n] |= 1;
    };
    vls_on_.assign(count_, 0);
    for (const std::uint32_t s : order_) step(s);
    for (const std::vector<std::uint32_t>& ring : rings_)
        for (std::size_t lap = 0; lap < 3; ++lap)
            for (const std::uint32_t s : ring) step(s);
    return dropped;
}

void unicast_walk::lose_dropped(unsigned sl, unsigned lid, std::uint32_t host) {
    for (const source& one : sources_[sl]) {
        if (fate_[one.chip] != fate::arrives) continue;
        const char* reason = nullptr;
        std::string where;
        std::string name = network_.switches[one.chip].name;
        auto number = static_cast<std::uint32_t>(of_.hosts.size()) + one.chip;
        unsigned in = 0;
        if (one.port != 0) {
            in = static_cast<unsigned>(std::countr_zero(one.port)) + 1;
            number = peer(one.chip, in - 1).index;
            name = where = network_.hosts[number].name;
            state_.first_vl(number, sl, reason);
        }
        for (std::uint32_t s = one.chip; reason == nullptr && s != nowhere && out_[s] != 0xff; s = next_[s]) {
            state_.next_vl(s, in, out_[s] + 1u, sl, reason);
            where = state_.port_text(s, out_[s]);
            in = peer(s, out_[s]).port + 1u;
        }
        if (reason == nullptr) continue;
        --state_.result.reached;
        const unsigned cables = depth_[one.chip] + (one.port != 0 ? 1 : 0);
        --cables_[cables];
        if (depth_[one.chip] > distance_[one.chip] + (host == nowhere ? 0 : 1)) --state_.result.longer;
        dropped_[reason].add([&] {
            return located(of_, std::nullopt,
                           "packets from '" + name + "' to LID " + std::to_string(lid) + " on SL " +
                               std::to_string(sl) + " are lost at " + where + ": " + reason,
                           "give the SL2VL tables of the same sweep");
        });
        add_lost(name, lid, reason, where, number);
    }
}

}  // namespace polycast::hw::subnet
