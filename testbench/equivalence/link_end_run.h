// SPDX-License-Identifier: Apache-2.0
/// \file A cable of two link ends between random chips, with random faults on its wires: core and golden model in
/// lockstep, and any third one with them, and a scoreboard of packets and credits that neither can influence. All
/// follows from a seed. Where stored bits flip, core and third model are compared alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "hw/chips/chip_params.h"
#include "hw/chips/link/link_end_core.h"

namespace polycast::testbench::equivalence {

/// Probabilities are in 1/1000 and cycle.
struct link_end_run {
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;  ///< with traffic and faults; it ends when all has come to rest
    hw::chips::link_config config;
    bool sleeps = false;   ///< the core is stepped only when it has to be
    unsigned load = 0;     ///< of each chip
    unsigned longest = 1;  ///< packet in flits
    unsigned pause = 0;    ///< a chip gives no credit in this cycle
    unsigned rogue = 0;    ///< flits and credits against the rules
    unsigned flips = 0;    ///< 1 to 3 wires of a direction
    unsigned losses = 0;   ///< a symbol
    unsigned deaths = 0;   ///< the direction is dead for a while, with `signal` or without
    unsigned longest_death = 1;
    unsigned vanishes = 0;   ///< a whole frame
    unsigned forgeries = 0;  ///< a set or message that nobody sent; beside rogue chips, since it breaks what is kept
    unsigned upsets = 0;     ///< a stored bit of an end

    /// Packets and credits are kept, whatever happens to the wires.
    bool sound() const { return rogue == 0 && upsets == 0; }
};

/// \param sizes of a model that has to hold it; null: any
link_end_run draw_link_end_run(std::uint64_t seed, std::uint64_t cycles,
                               const hw::chips::link_end_params* sizes = nullptr);

/// A third model of a link end.
class link_end_model {
public:
    virtual ~link_end_model() = default;
    /// \returns the cycle in which it must be stepped again, if its pins stay quiet
    virtual hw::engine::cycle step(hw::engine::cycle now, const hw::chips::link_end_in& in,
                                   hw::chips::link_end_out& out) = 0;
    /// FLUSH ends behind the next step.
    virtual void leave_flush() = 0;
    /// A stored bit flips at the end of the next step, which does not leave FLUSH.
    virtual void upset(const hw::chips::link_upset& what) = 0;
    virtual hw::chips::link_end_probe probe() const = 0;
    virtual hw::chips::link_counters counters(hw::engine::cycle now) const = 0;
};

/// Called with the configuration of each end.
using link_end_maker = std::function<std::unique_ptr<link_end_model>(const hw::chips::link_config&, unsigned end)>;

struct link_end_outcome {
    std::string failure;       ///< empty: none; else with the cycle
    std::uint64_t failed = 0;  ///< in which
    std::map<std::string, std::uint64_t> seen;
};

link_end_outcome run(const link_end_run& what, const link_end_maker& make = {});

}  // namespace polycast::testbench::equivalence
