// SPDX-License-Identifier: Apache-2.0
/// \file A network of replicating switches, or of routers, and hosts on the engine, run under a watchdog.
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

/// Makes the chip that stands for switch or router `index` of the plan: the core, its Verilated RTL, or anything else
/// with the same pins.
using switch_factory = std::function<std::unique_ptr<engine::chip>(const system_plan& plan, std::uint32_t index)>;

/// The C++ core for every switch or router.
std::unique_ptr<engine::chip> make_core(const system_plan& plan, std::uint32_t index);

/// Makes the chip that stands for coding unit `index` of the plan: the core, its Verilated RTL, ...
using unit_factory = std::function<std::unique_ptr<engine::chip>(const system_plan& plan, std::uint32_t index)>;

/// The C++ core for every coding unit.
std::unique_ptr<engine::chip> make_unit_core(const system_plan& plan, std::uint32_t index);

/// How a run ended.
struct run_outcome {
    enum class kind : std::uint8_t {
        complete,  ///< all that was sent was delivered
        stuck,  ///< no flit moved for the watchdog's patience, or nothing can happen any more, and packets are missing
        limit,  ///< the cycle limit was reached
        stopped,  ///< from outside
    };
    kind ended = kind::complete;
    engine::cycle cycles =
        0;  ///< cycle of the last delivery to a host program, + 1; where it did not complete: of the end of the run
    std::string diagnosis;  ///< for `stuck`: the oldest packet and who waits for whom
};

struct run_limits {
    engine::cycle cycles = engine::never;
    engine::cycle patience = 100000;  ///< cycles without any flit moving while a switch or router holds one
};

/// Cycles between two looks at the watchdog and at the stop request. It is no part of any result.
inline constexpr engine::cycle slice = 4096;

/// What a run looks like between two slices, or when it is over.
struct run_view {
    bool over = false;  ///< nothing will happen any more
    bool open = false;  ///< hosts that are no chips may still begin something
    engine::cycle now = 0;
    engine::cycle last_flit = 0;                               ///< last cycle in which a flit was sent
    std::function<const engine::chip&(engine::chip_id)> chip;  ///< ids as in switch_network
};

/// Says whether a run has ended, and how; the same for whoever runs the network. `stop` may be empty.
std::optional<run_outcome> judge(const system_plan& plan, const traffic::goal& goal, const run_limits& limits,
                                 const run_view& view, const std::function<bool(engine::cycle)>& stop);

/// Switch or router i of the plan is chip i, then come the hosts, then the coding units.
class switch_network {
public:
    /// `plan` and `goal` must outlive the network. \throws input_error for coding units that could wait for ever, and
    /// as chips do.
    switch_network(const system_plan& plan, const switch_factory& switches, const host_factory& hosts,
                   const traffic::goal& goal, const unit_factory& units = make_unit_core);

    /// Runs until all is delivered. `stop`, if given, is asked now and then with the present cycle and ends the run by
    /// returning true.
    run_outcome run(const run_limits& limits, const std::function<bool(engine::cycle)>& stop = {});

    engine::network& network() { return network_; }
    const engine::network& network() const { return network_; }
    const system_plan& plan() const { return *plan_; }
    engine::chip_id switch_chip(std::uint32_t index) const { return index; }
    engine::chip_id host_chip(std::uint32_t host) const { return plan_->host_chip(host); }
    const host::host_chip& host(std::uint32_t number) const { return *hosts_[number]; }

    /// What went wrong in hosts, interfaces and coding units, in words.
    std::vector<std::string> failures() const;
    interface_totals totals() const;

private:
    const system_plan* plan_;
    const traffic::goal* goal_;
    engine::network network_;
    std::vector<const host::host_chip*> hosts_;  ///< in network_
};

/// The oldest packet that is missing, and the cycle of waiting inputs and hosts if there is one, else who waits.
/// `probe_of` gives the state of a chip, ids as in switch_network.
std::string diagnose(const system_plan& plan, const traffic::goal& goal,
                     const std::function<engine::chip_probe(engine::chip_id)>& probe_of);

}  // namespace polycast::hw::system
