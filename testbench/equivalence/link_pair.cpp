// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/link_pair.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hw/input_error.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/replay_line.h"

namespace polycast::testbench::equivalence {

using hw::chips::link_end_params;

namespace {

link_end_params draw_sizes(std::uint64_t seed) {
    dice d(seed, 2);
    link_end_params sizes;
    sizes.flit_bytes = d.pick({1, 2, 3, 4, 5, 8, 16, 16, 33, 64});
    sizes.beside = sizes.flit_bytes >= 4 && d.chance(300);
    sizes.header_bytes = d.chance(300) ? d.between(1, 40) : 0;
    sizes.vcs = d.pick({1, 1, 2, 3, 4, 7, 16});
    sizes.frame = sizes.beside ? 1 : d.between(1, d.pick({2, 4, 9}));
    sizes.sequence_bits = d.pick({4, 5, 6, 20, 20});
    sizes.window = std::min(1u << (sizes.sequence_bits - 1), d.pick({4, 8, 40}));
    // The most credits that runs are drawn with, and a unit more.
    sizes.ring = sizes.vcs * 13 * 8;
    sizes.protect_rings = d.below(3);
    sizes.protect_counters = d.below(3);
    return sizes;
}

std::string to_line(const link_end_params& p, std::uint64_t seed, std::uint64_t cycles) {
    return link_line + ("vcs=" + std::to_string(p.vcs)) + " flit_bytes=" + std::to_string(p.flit_bytes) +
           " header_bytes=" + std::to_string(p.header_bytes) + " beside=" + std::to_string(p.beside ? 1 : 0) +
           " frame=" + std::to_string(p.frame) + " ring=" + std::to_string(p.ring) +
           " window=" + std::to_string(p.window) + " sequence_bits=" + std::to_string(p.sequence_bits) +
           " protect=" + std::to_string(p.protect_rings + 3 * p.protect_counters) + " seed=" + std::to_string(seed) +
           " cycles=" + std::to_string(cycles);
}

/// How often stored bits flip, per mille.
unsigned draw_upsets(std::uint64_t seed) {
    dice d(seed, 3);
    return d.pick({1, 5, 30, 200});
}

contender_pair make_pair(sized_link_end_maker third, std::vector<link_end_params> sets, bool upsets) {
    return {[sets = std::move(sets)](const contender_pair::draw& from) {
                return to_line(sets.empty() ? draw_sizes(from.set_seed) : sets[from.number % sets.size()], from.seed,
                               from.cycles);
            },
            [](const std::string& line) { return line.starts_with(link_line); },
            {},
            [third = std::move(third), upsets](const std::string& line, coverage& seen) -> std::optional<difference> {
                const link_line_run what = link_run_from_line(line, upsets);
                link_end_maker make;
                if (third)
                    make = [&](const hw::chips::link_config& config, unsigned) { return third(config, what.sizes); };
                link_end_outcome outcome;
                try {
                    outcome = run(what.run, make);
                } catch (const std::logic_error& broken) {  // an assertion of the RTL
                    return difference{0, broken.what()};
                }
                seen.runs = 1;
                seen.cycles = outcome.seen["cycles"];
                seen.packets = outcome.seen["packets"];
                seen.asleep = outcome.seen["asleep"];
                seen.decisions = std::move(outcome.seen);
                seen.decisions.erase("cbfc_sender_credits_used");  // at the end
                if (outcome.failure.empty()) return std::nullopt;
                return difference{outcome.failed, outcome.failure};
            }};
}

}  // namespace

link_line_run link_run_from_line(const std::string& line, bool upsets) {
    if (!line.starts_with(link_line))
        throw hw::input_error("replay line: it is not one of a cable", "they begin with \"link_end \"");
    replay_line values(line.substr(std::string_view(link_line).size()));
    link_end_params sizes;
    sizes.vcs = values.take_small("vcs");
    sizes.flit_bytes = values.take_small("flit_bytes");
    sizes.header_bytes = values.take_small("header_bytes");
    sizes.beside = values.take_small("beside") != 0;
    sizes.frame = values.take_small("frame");
    sizes.ring = values.take_small("ring");
    sizes.window = values.take_small("window");
    sizes.sequence_bits = values.take_small("sequence_bits");
    const unsigned protect = values.take_small("protect");
    sizes.protect_rings = protect % 3;
    sizes.protect_counters = protect / 3;
    const std::uint64_t seed = values.take("seed");
    const std::uint64_t cycles = values.take("cycles");
    values.finish();
    checked(sizes);
    link_line_run made{draw_link_end_run(seed, cycles, &sizes), sizes};
    if (upsets) made.run.upsets = draw_upsets(seed);
    return made;
}

contender_pair link_pair(sized_link_end_maker third, std::vector<link_end_params> sets) {
    return make_pair(std::move(third), std::move(sets), false);
}

contender_pair link_upset_pair(sized_link_end_maker other, std::vector<link_end_params> sets) {
    return make_pair(std::move(other), std::move(sets), true);
}

}  // namespace polycast::testbench::equivalence
