// SPDX-License-Identifier: Apache-2.0
/// \file Builds a plan on any object that steps chips, and runs it under a watchdog.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/engine/network.h"
#include "hw/system/hosts.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

/// An event of a chip in words: which unit, what, where. For `source` see hw/chips/coding/coding_unit.md.
std::string event_text(const system_plan& plan, const engine::event_record& event);

/// Makes the model for chip `id` of the plan, which is not a host: the core, its Verilated RTL, or anything else with
/// the same pins.
using chip_factory = std::function<std::unique_ptr<engine::chip>(const system_plan& plan, engine::chip_id id)>;

/// Makes an empty network for the chips of a plan.
using stepper_factory = std::function<std::unique_ptr<engine::chip_network>(const system_plan& plan)>;

/// The engine's.
std::unique_ptr<engine::chip_network> make_engine(const system_plan& plan);

/// The C++ core of any chip.
std::unique_ptr<engine::chip> make_core(const system_plan& plan, engine::chip_id id);

/// How a run ended.
struct run_outcome {
    enum class kind : std::uint8_t {
        complete,  ///< all that was sent was delivered
        stuck,  ///< no flit moved for the watchdog's patience, or nothing can happen any more, and packets are missing
        limit,  ///< the cycle limit was reached
        saturated,  ///< given up because the network does not keep up with its load
        stopped,    ///< from outside
    };
    kind ended = kind::complete;
    engine::cycle cycles =
        0;  ///< cycle of the last delivery to a host program, + 1; where it did not complete: of the end of the run
    std::string diagnosis;  ///< for `stuck`: the oldest packet and who waits for whom
    bool quiet = false;     ///< for `stuck`: nobody holds or waits for anything; what is missing was lost
};

struct run_limits {
    engine::cycle cycles = engine::never;
    engine::cycle patience = 100000;  ///< cycles without any flit moving while a switch or router holds one
    /// Cycles between two checks of the watchdog and of the stop request. It is not part of any result.
    engine::cycle slice = 4096;
    /// Chips that poll never sleep: the run is over as well if nothing is left to do, and no flit was sent for more
    /// than these cycles. never: it is not, as ideal hosts may begin something again.
    engine::cycle settle = 0;
    /// For so long interfaces may send reliable messages again before they give up.
    engine::cycle retries = 0;
    /// When this cycle begins the run ends if give_up() says so.
    engine::cycle review = engine::never;
    std::function<bool()> give_up = {};

    engine::slices slices() const { return {cycles, slice, review}; }
};

/// What a run looks like between two slices, or when it is over.
struct run_view {
    bool over = false;  ///< nothing will happen any more
    bool open = false;  ///< hosts that are not chips may still begin something
};

/// Says whether a run has ended, and how; it is the same on the engine and in SystemC. `stop` may be empty.
std::optional<run_outcome> judge(const system_plan& plan, const engine::chip_network& network,
                                 const traffic::goal& goal, const run_limits& limits, const run_view& view,
                                 const std::function<bool(engine::cycle)>& stop);

/// Puts all chips of a plan into an empty network and joins them; their numbers are those of the plan. `own`, if given,
/// says which hosts already exist, or adds them. \throws input_error for coding units that could wait forever, and as
/// chips do.
void build(engine::chip_network& network, const system_plan& plan, const chip_factory& chips, const host_factory& hosts,
           const std::function<bool(std::uint32_t host)>& own = {});

/// What went wrong in hosts and interfaces, in words.
std::vector<std::string> host_failures(const system_plan& plan, const engine::chip_network& network);
/// What hosts and interfaces did. Ideal hosts contribute nothing.
interface_totals totals_of(const system_plan& plan, const engine::chip_network& network);

/// A plan on a network that steps chips.
class system_network {
public:
    /// `plan` and `goal` must outlive the network. \throws as build()
    system_network(const system_plan& plan, const chip_factory& chips, const host_factory& hosts,
                   const traffic::goal& goal, const stepper_factory& stepper = make_engine);

    /// Runs until everything is delivered. `stop`, if given, is called from time to time with the current cycle; the
    /// run ends if it returns true.
    run_outcome run(const run_limits& limits, const std::function<bool(engine::cycle)>& stop = {});

    engine::chip_network& network() { return *network_; }
    const engine::chip_network& network() const { return *network_; }
    const system_plan& plan() const { return *plan_; }
    const host::host_chip& host(std::uint32_t number) const;

    /// What went wrong in hosts, interfaces and coding units, in words.
    std::vector<std::string> failures() const;
    interface_totals totals() const { return totals_of(*plan_, *network_); }

private:
    const system_plan* plan_;
    const traffic::goal* goal_;
    std::unique_ptr<engine::chip_network> network_;
};

/// The oldest packet that is missing, and the cycle of waiting inputs and hosts if there is one, else who waits.
std::string diagnose(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network);

}  // namespace polycast::hw::system
