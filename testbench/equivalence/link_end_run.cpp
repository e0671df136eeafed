// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/link_end_run.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hw/chips/link/link_end_core.h"
#include "testbench/equivalence/dice.h"
#include "testbench/equivalence/golden_link.h"
#include "testbench/equivalence/link_end_sides.h"

namespace polycast::testbench::equivalence {

namespace {

/// Core and golden model of one end.
struct contenders {
    contenders(const link_config& config, const link_end_maker& make, unsigned end)
        : core(std::make_unique<hw::chips::link_end_core>(config)), golden(core->config()) {
        if (make) third = make(core->config(), end);
    }
    std::unique_ptr<hw::chips::link_end_core> core;
    golden_link_end golden;
    std::unique_ptr<link_end_model> third;
    cycle third_wake = 0;
    cycle wake = 0;
    bool signal = true;
    bool upset = false;  ///< in the next step
    bool alone = false;  ///< the golden model has no stored bits that flip
    std::uint64_t slept = 0;

    void flip(const hw::chips::link_upset& what) {
        core->upset(what);
        third->upset(what);
        upset = alone = true;
    }

    /// \param leaves FLUSH ends with this cycle
    std::string step(cycle now, const link_end_in& in, bool sleeps, link_end_out& out, bool leaves) {
        out = {};
        const bool quiet = !in.valid && !in.credit && in.symbol.kind == symbol_kind::idle && in.signal == signal &&
                           !std::exchange(upset, false);
        signal = in.signal;
        const bool skip = sleeps && quiet && now < wake;
        if (!skip) wake = core->step(now, in, out);
        slept += skip ? 1 : 0;
        const link_end_out expected = alone ? out : golden.step(in);
        if (leaves) {
            if (core->probe().tx == hw::chips::link_tx_state::flush) wake = now + 1;
            core->reinit(now + 1);
            if (!alone) golden.reinit();
        }
        if (!(out == expected)) return difference(out, expected);
        if (third != nullptr) {
            const std::string why = step_third(now, in, sleeps && quiet && now < third_wake, out, leaves);
            if (!why.empty()) return "third model: " + why;
        }
        if (alone) return {};
        if (!same_state(now, core->probe(), golden.probe())) return "states differ";
        const hw::chips::link_counters counts = core->counters(now + 1);
        if (counts == golden.counters()) return {};
        for (const auto& counter : hw::chips::link_counter_names)
            if (counts.*counter.value != golden.counters().*counter.value)
                return std::string(counter.name) + ": core " + std::to_string(counts.*counter.value) + ", golden " +
                       std::to_string(golden.counters().*counter.value);
        return "cycles in a state differ";
    }

    std::string step_third(cycle now, const link_end_in& in, bool skip, const link_end_out& core_out, bool leaves) {
        link_end_out third_out;
        if (leaves && !skip) third->leave_flush();
        if (!skip) third_wake = third->step(now, in, third_out);
        if (!third_out.credit) third_out.credit_vc = 0;
        // Of a flit that is none the pins say nothing.
        if (!third_out.valid) third_out.flit = core_out.flit;
        if (alone) {  // a mark that flips makes heads without a header, and headers without a head
            link_end_out own = core_out;
            for (link_symbol* each : {&own.flit, &own.symbol, &third_out.flit, &third_out.symbol})
                each->header.resize(each->head ? core->config().header_bytes : 0);
            if (!(third_out == own)) return difference(own, third_out);
        } else if (!(third_out == core_out)) {
            return difference(core_out, third_out);
        }
        if (!same_state(now, core->probe(), third->probe()))
            return "states differ: " + in_words(core->probe()) + ", third " + in_words(third->probe());
        const hw::chips::link_counters counts = core->counters(now + 1);
        const hw::chips::link_counters others = third->counters(now + 1);
        for (const auto& counter : hw::chips::link_counter_names)
            if (counts.*counter.value != others.*counter.value)
                return std::string(counter.name) + ": core " + std::to_string(counts.*counter.value) + ", third " +
                       std::to_string(others.*counter.value);
        return counts == others ? "" : "cycles in a state differ";
    }

    /// Behind cycle `now`. A timer that has run out, while an item is under way, runs out in the next cycle.
    static bool same_state(cycle now, hw::chips::link_end_probe one, hw::chips::link_end_probe other) {
        for (hw::chips::link_end_probe* each : {&one, &other}) each->timer = std::max(each->timer, now + 1);
        return one == other;
    }

    std::string in_words(const hw::chips::link_end_probe& of) const {
        std::string text = "tx " + std::to_string(static_cast<unsigned>(of.tx)) + " rx " +
                           std::to_string(static_cast<unsigned>(of.rx)) + " cause " +
                           std::to_string(static_cast<unsigned>(of.cause)) + " next " + std::to_string(of.next) +
                           " expected " + std::to_string(of.expected) + " outstanding " +
                           std::to_string(of.outstanding) + " ring " + std::to_string(of.ring) + " replays " +
                           std::to_string(of.replays) + " timer " + std::to_string(of.timer) + " units";
        for (unsigned vc = 0; vc < core->config().vcs; ++vc)
            for (const std::uint32_t each :
                 {of.units[vc].s_cc, of.units[vc].s_cf, of.units[vc].r_cc, of.units[vc].r_cf})
                text += ' ' + std::to_string(each);
        return text;
    }

    static std::string difference(const link_end_out& core, const link_end_out& golden) {
        if (!(core.symbol == golden.symbol))
            return "the symbol differs: kind " + std::to_string(static_cast<unsigned>(core.symbol.kind)) + ", golden " +
                   std::to_string(static_cast<unsigned>(golden.symbol.kind));
        if (core.errors != golden.errors)
            return "errors differ: core " + std::to_string(core.errors) + ", other " + std::to_string(golden.errors);
        if (core.valid != golden.valid || !(core.flit == golden.flit)) return "the flit differs";
        return "the credit differs";
    }
};

/// Bits of an end that flip: often two of one flit in the ring, so that codes fail, too.
class flipped_bits {
public:
    flipped_bits(const link_end_run& run, unsigned index) : run_(run), dice_(run.seed, 400 + index) {}

    std::optional<hw::chips::link_upset> next(const hw::chips::link_end_core& core) {
        if (!dice_.chance(run_.upsets)) return std::nullopt;
        const link_config& c = core.config();
        using hw::chips::link_memory;
        if (dice_.chance(300))
            return hw::chips::link_upset{link_memory::counters, dice_.below(4 * c.vcs), dice_.below(counter_bits(c))};
        const std::uint32_t bits = ring_bits(c);
        const auto flits = static_cast<unsigned>(core.probe().ring);
        return hw::chips::link_upset{link_memory::ring, dice_.below(dice_.chance(500) ? 2u : flits + 2),
                                     dice_.below(dice_.chance(500) ? std::min(bits, 40u) : bits)};
    }

private:
    const link_end_run& run_;
    dice dice_;
};

}  // namespace

link_end_run draw_link_end_run(std::uint64_t seed, std::uint64_t cycles, const hw::chips::link_end_params* sizes) {
    constexpr unsigned any_code = 3;
    dice d(seed, 1);
    link_end_run run;
    run.seed = seed;
    run.cycles = cycles;
    link_config& c = run.config;
    c.layer = d.chance(300) ? link_layer::check : link_layer::retry;
    c.flit_bytes = d.pick({1, 2, 3, 4, 5, 8, 16, 16, 33, 64});
    c.beside = c.flit_bytes >= 4 && d.chance(300);
    c.header_bytes = d.chance(300) ? d.between(1, 40) : 0;
    c.vcs = d.pick({1, 1, 2, 3, 4, 7, 16});
    c.delay = d.between(0, 12);
    c.frame = c.beside ? 1 : d.between(1, d.pick({2, 4, 9}));
    c.sequence_bits = c.layer == link_layer::check ? 20 : d.pick({4, 4, 5, 6, 20});
    if (sizes != nullptr) {
        c.flit_bytes = sizes->flit_bytes;
        c.beside = sizes->beside;
        c.header_bytes = sizes->header_bytes;
        c.vcs = sizes->vcs;
        c.frame = d.between(1, sizes->frame);
        c.sequence_bits = sizes->sequence_bits;
        if (c.sequence_bits != 20) c.layer = link_layer::retry;
    }
    c.window = d.between(1, std::min(1u << (c.sequence_bits - 1), d.pick({4, 8, 40})));
    if (sizes != nullptr) c.window = std::min<std::uint64_t>(c.window, sizes->window);
    const auto widest = static_cast<unsigned>(std::max<std::uint64_t>(c.frame, c.message_flits()));
    if (d.chance(300))
        c.window_bytes =
            c.flit_bytes * d.between(static_cast<unsigned>(c.frame), widest * static_cast<unsigned>(c.window));
    c.ack_spacing = d.between(0, d.pick({3, 20, 100}));
    c.credit_spacing = 2 * c.set_symbols() + d.between(0, 20);
    c.replay_count = d.between(1, d.pick({1, 3, 6}));
    c.replay_timer = c.least_timer() + d.between(0, 60);
    c.credit_timer = c.replay_timer + d.between(0, d.pick({5, 200}));
    const std::uint64_t given_up = c.replay_timer * (c.replay_count + 1);
    c.signal_timeout = d.chance(150) ? 0 : d.chance(500) ? d.between(10, 400) : given_up;
    c.age_timeout = d.chance(500) ? 0 : given_up + d.between(0, 9);
    c.lifetime = d.chance(600) ? 0 : given_up + d.between(0, 50);
    c.init_action = d.chance(500) ? hw::chips::link_action::block : hw::chips::link_action::discard;
    c.flush_action = d.chance(400) ? hw::chips::link_action::block : hw::chips::link_action::discard;
    c.reinit = !d.chance(100);
    for (hw::chips::link_buffer* buffer : {&c.far, &c.own}) {
        buffer->unit_flits = d.pick({1, 1, 2, 3, 8});
        const unsigned most = d.pick({1, 3, 12});
        for (auto& credits : buffer->credits) credits = d.between(1, most);
    }
    run.sleeps = d.chance(500);
    run.load = d.pick({20, 200, 600, 1000});
    run.longest = d.pick({1, 3, 12, 40});
    run.pause = d.pick({0, 300, 900, 998});
    run.rogue = d.chance(150) ? d.pick({2, 30}) : 0;
    const bool quiet = d.chance(150);
    run.flips = quiet ? 0 : d.pick({0, 1, 10, 60});
    run.losses = quiet ? 0 : d.pick({0, 1, 20, 80});
    run.deaths = quiet ? 0 : d.pick({0, 300, 2000});
    run.longest_death = d.pick({20, 300, static_cast<unsigned>(2 * given_up)});
    run.forgeries = run.rogue != 0 ? d.pick({0, 5, 30}) : 0;
    run.vanishes = quiet ? 0 : d.pick({0, 0, 3, 30});
    const auto code = [&d](unsigned given) {
        return static_cast<hw::format::protection>(given != any_code ? given : d.below(3));
    };
    c.protect_rings = code(sizes != nullptr ? sizes->protect_rings : any_code);
    c.protect_counters = code(sizes != nullptr ? sizes->protect_counters : any_code);
    return run;
}

link_end_outcome run(const link_end_run& what, const link_end_maker& make) {
    link_end_outcome outcome;
    std::array<contenders, 2> ends = {contenders(what.config, make, 0), contenders(other_end(what.config), make, 1)};
    std::array<link_chip, 2> chips = {link_chip(what, ends[0].core->config(), 0),
                                      link_chip(what, ends[1].core->config(), 1)};
    std::array<link_wire, 2> wires = {link_wire(what, 0), link_wire(what, 1)};
    std::array<link_end_in, 2> in;
    std::array<link_end_out, 2> out;
    std::array<flipped_bits, 2> flips = {flipped_bits(what, 0), flipped_bits(what, 1)};
    dice registers(what.seed, 300);
    const link_config& config = ends[0].core->config();
    // Rogue chips leave packets open and credits spent. Others come to rest: each time-out may have to pass once more
    // behind the faults, chips are slow at times, and a small window sends a flit a round trip.
    const cycle patience = 4 * (config.replay_count + 2) * (config.credit_timer + config.replay_timer) +
                           4 * config.signal_timeout + 4 * config.lifetime +
                           4 * (ends[0].core->config().ring_flits() + ends[1].core->config().ring_flits()) *
                               (config.nack_cycles() + config.frame_symbols() + config.ack_spacing);
    const cycle limit = what.cycles + 20000 + patience;
    cycle now = 0;
    unsigned resting = 0;
    const auto fail = [&](const std::string& why) {
        outcome.failed = now;
        outcome.failure = "cycle " + std::to_string(now) + ": " + why + " (link end seed=" + std::to_string(what.seed) +
                          " cycles=" + std::to_string(what.cycles) + ")";
    };
    for (; resting < 20; ++now) {
        if (now == limit) {
            fail("it never comes to rest");
            return outcome;
        }
        const bool traffic = now < what.cycles;
        for (unsigned end = 0; end < 2; ++end) {
            in[end].valid = in[end].credit = false;
            chips[end].drive(in[end], traffic);
            bool leaves = !config.reinit && (!traffic || registers.chance(2));
            if (const auto flip = traffic ? flips[end].next(*ends[end].core) : std::nullopt) {
                ends[end].flip(*flip);
                leaves = false;
            }
            const std::string why = ends[end].step(now, in[end], what.sleeps, out[end], leaves);
            if (!why.empty()) {
                fail("end " + std::to_string(end) + ": " + why);
                return outcome;
            }
        }
        for (unsigned end = 0; end < 2; ++end) {
            chips[end].see(out[end]);
            if (!chips[end].failure().empty()) {
                fail("chip " + std::to_string(end) + ": " + chips[end].failure());
                return outcome;
            }
            wires[end].pass(out[1 - end].symbol, traffic, in[end]);
        }
        const bool rests =
            !traffic && chips[0].at_rest() && chips[1].at_rest() && ends[0].core->idle() && ends[1].core->idle();
        resting = rests || (!what.sound() && now > what.cycles + 3000) ? resting + 1 : 0;
    }
    using hw::chips::link_tx_state;
    std::array<hw::chips::link_counters, 2> counts = {ends[0].core->counters(now), ends[1].core->counters(now)};
    for (unsigned end = 0; end < 2 && what.sound(); ++end) {
        const hw::chips::link_counters& sender = counts[1 - end];
        const bool all = config.layer == link_layer::retry && sender.llr_tx_discard == 0 &&
                         sender.tx_cycles[static_cast<unsigned>(link_tx_state::flush)] == 0 &&
                         counts[end].llr_rx_poisoned == 0 && sender.lifetime_discard == 0;
        chips[end].compare(chips[1 - end], all);
        if (!chips[end].failure().empty()) fail("chip " + std::to_string(end) + ": " + chips[end].failure());
        if (all) outcome.seen["exactly once"] += chips[end].packets();
    }
    for (unsigned end = 0; end < 2; ++end) {
        for (const auto& counter : hw::chips::link_counter_names) {
            const bool found = counter.name == "corrected" || counter.name == "soft_errors";
            if (!found || what.upsets != 0) outcome.seen[std::string(counter.name)] += counts[end].*counter.value;
        }
        outcome.seen["packets"] += chips[end].packets();
        outcome.seen["asleep"] += ends[end].slept;
        outcome.seen["flush cause " + std::to_string(static_cast<unsigned>(ends[end].core->probe().cause))] += 1;
    }
    outcome.seen["cycles"] += now;
    return outcome;
}

}  // namespace polycast::testbench::equivalence
