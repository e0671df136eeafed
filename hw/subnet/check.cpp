// SPDX-License-Identifier: Apache-2.0
#include "hw/subnet/check.h"

#include <algorithm>
#include <bit>

#include "hw/subnet/unicast_check.h"

namespace polycast::hw::subnet {
namespace {

using topology::port_end;

/// A VL that the table says, if the port has it.
std::optional<unsigned> operational(unsigned vl, unsigned told, const check_options& options, const char*& reason) {
    if (vl == 15) {
        reason = "the table says VL 15, which is no lane for data";
        return std::nullopt;
    }
    if (vl >= (told != 0 ? told : options.vls.value_or(15))) {
        reason = "the table says a VL above the operational ones";
        return std::nullopt;
    }
    return vl;
}

unsigned vl_in(lane_row row, unsigned sl) {
    return static_cast<unsigned>(row >> (4 * sl) & 15);
}

/// Dependencies of a cycle that are not in `unicast`.
std::vector<std::size_t> only_others(const fabric& of, const dependencies& unicast, const std::vector<channel>& cycle) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const channel& from = cycle[i];
        const channel& to = cycle[(i + 1) % cycle.size()];
        const unsigned in = of.network.switches[from.chip].ports[from.port].port;
        if ((unicast.inputs(to.chip, from.vl, to.port, to.vl) >> in & 1) == 0) found.push_back(i);
    }
    return found;
}

}  // namespace

std::optional<unsigned> check_state::first_vl(std::uint32_t host, unsigned sl, const char*& reason) const {
    const host_state& one = of.hosts[host];
    if (!of.has_lanes) return operational(of.has_path_sls ? sl : 0, one.operational_vls, options, reason);
    if (!one.lanes) {
        reason = "the adapter has no SL2VL row";
        return std::nullopt;
    }
    return operational(vl_in(*one.lanes, sl), one.operational_vls, options, reason);
}

std::optional<unsigned> check_state::next_vl(std::uint32_t chip, unsigned in, unsigned out, unsigned sl,
                                             const char*& reason) const {
    const switch_state& one = of.switches[chip];
    const unsigned told = out < one.operational_vls.size() ? one.operational_vls[out] : 0;
    if (!of.has_lanes) return operational(of.has_path_sls ? sl : 0, told, options, reason);
    const auto row = one.lanes.find(in, out);
    if (!row) {
        reason = "the switch has no SL2VL row for these ports";
        return std::nullopt;
    }
    return operational(vl_in(*row, sl), told, options, reason);
}

double check_result::mean_cables() const {
    double sum = 0;
    for (const auto& [length, count] : cables) sum += static_cast<double>(length) * static_cast<double>(count);
    return reached == 0 ? 0 : sum / static_cast<double>(reached);
}

std::string channel_text(const fabric& of, const channel& one, bool with_vl) {
    const std::string text = of.network.port_text(one.chip, one.port);
    return with_vl ? text + "/vl" + std::to_string(one.vl) : text;
}

check_result check(const fabric& of, const check_options& options) {
    dependencies unicast(of.network);
    return check(of, options, unicast);
}

check_result check(const fabric& of, const check_options& options, dependencies& unicast) {
    dependencies all(of.network);
    return check(of, options, unicast, all);
}

check_result check(const fabric& of, const check_options& options, dependencies& unicast, dependencies& all) {
    check_result result;
    result.warnings = of.warnings;
    std::vector<std::vector<std::uint64_t>> used(of.network.switches.size());
    check_state state{of, options, result, unicast, used};
    check_unicast(state);
    check_state floods{of, options, result, all, used};
    check_multicast(floods);

    result.unicast_dependencies = unicast.size();
    result.unicast = unicast.find_cycles();
    all.merge(unicast);
    result.added = all.size() - result.unicast_dependencies;
    result.all = result.added == 0 ? result.unicast : all.find_cycles();
    result.only_multicast = only_others(of, unicast, result.all.shortest);

    // Channels: outputs that something uses, and those of hosts.
    std::vector<std::array<std::uint64_t, max_vls>> inputs(of.network.switches.size());
    all.for_each(
        [&](std::uint32_t chip, std::uint64_t from, unsigned v, unsigned, unsigned) { inputs[chip][v] |= from; });
    for (std::uint32_t s = 0; s < used.size(); ++s)
        for (unsigned vl = 0; vl < max_vls; ++vl) {
            std::uint64_t hosts = 0;
            for (std::size_t p = 0; p < of.network.switches[s].ports.size(); ++p)
                if (of.network.switches[s].ports[p].kind == port_end::leads_to::host) hosts |= std::uint64_t{1} << p;
            const auto count = static_cast<std::uint64_t>(std::popcount(inputs[s][vl] & hosts)) +
                               (used[s].empty() ? 0 : static_cast<std::uint64_t>(std::popcount(used[s][vl])));
            if (count == 0) continue;
            result.channels += count;
            result.channels_by_vl[vl] += count;
        }
    const bool with_vl = result.channels_by_vl.size() > 1;
    const auto tell = [&](const dependencies::cycles& found, const std::string& what) {
        if (found.shortest.empty()) return;
        std::string text;
        for (const channel& one : found.shortest) text += channel_text(of, one, with_vl) + " > ";
        result.problems.push_back("a possible credit loop of " + what + ": " + text +
                                  channel_text(of, found.shortest.front(), with_vl) +
                                  "; route with an engine that is free of deadlock, or use more lanes");
    };
    tell(result.unicast, "unicasts");
    if (result.unicast.shortest.empty()) tell(result.all, "multicasts with unicasts");
    return result;
}

}  // namespace polycast::hw::subnet
