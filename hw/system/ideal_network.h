// SPDX-License-Identifier: Apache-2.0
/// \file A mesh or torus with ideal hosts, simulated chip by chip: it does the same as router_fabric (hw/fabric), with
/// pins and bytes, whatever steps the chips and whatever models stand for them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hw/chips/router/router_core.h"
#include "hw/engine/network.h"
#include "hw/fabric/allgather_nodes.h"
#include "hw/fabric/fabric_config.h"
#include "hw/fabric/link_counts.h"
#include "hw/host/ideal_host.h"
#include "hw/system/plan.h"
#include "hw/system/system_network.h"

namespace polycast::hw::system {

/// The plan of a fabric with units at second host ports. The parameters of its hosts' interfaces define what links need
/// and nothing else.
/// \throws input_error on parameters out of range
system_plan make_ideal_plan(const fabric::fabric_params& mesh, const std::vector<fabric::unit_setup>& units = {});

/// Counts on the pins what a fabric counts, so that it does not depend on what stands for a chip. A fabric knows of a
/// flit when it leaves a router; what it counts up to a cycle is here on the pins of the next chip some cycles later.
class ideal_watch final : public engine::observer {
public:
    using cycle = engine::cycle;

    /// Counts what a fabric counts that stops before cycle `end`. `plan` must outlive it. `links`: flits of every link.
    /// `review`: a cycle before which a fabric may stop as well
    ideal_watch(const system_plan& plan, const fabric::fabric_params& mesh, cycle end, bool links,
                cycle review = engine::never);

    /// Steps that units do are shown to `who`, with the number of the unit.
    void show_units(engine::observer& who) { units_ = &who; }
    /// All steps are shown to `who` after this object has seen them.
    void show_all(engine::observer* who) { all_ = who; }

    void stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                 const engine::chip& chip) override;

    struct tally {
        std::optional<fabric::link_counts> links;
        std::uint64_t flit_hops = 0;     ///< flits from router to router
        std::uint64_t router_steps = 0;  ///< routers that had something to do, summed over cycles
    };
    /// Up to the end, or what a fabric has counted that stopped before the review.
    tally counted(bool to_review = false) const;
    /// Last cycle in which a flit or credit was on input pins.
    cycle last_move() const { return last_move_; }
    /// Error pins that went up: the first 20, and how many.
    const std::vector<engine::error_event>& errors() const { return errors_; }
    std::uint64_t error_count() const { return error_count_; }

    /// Cycles from the step in which a flit goes through a crossbar to the one in which it is on the next chip's pins.
    static cycle crossing(const fabric::fabric_params& mesh) { return 1 + mesh.router.xbar_stages + mesh.link_delay; }

private:
    void count_router(std::uint32_t node, cycle now, const engine::pins& in, const engine::chip& chip);
    void note_errors(engine::chip_id id, cycle now, const engine::pins& out);

    /// A border in time.
    struct border {
        cycle read;  ///< for what the steps of routers read
        cycle sent;  ///< for what they send
    };
    /// The tally of what happens now; null behind the end.
    tally* tally_of(cycle now, cycle border::*what) {
        return now >= end_.*what ? nullptr : now < review_.*what ? &first_ : &rest_;
    }

    const system_plan& plan_;
    border end_, review_;
    unsigned first_host_port_;
    tally first_, rest_;  ///< before the review, and behind it
    /// [router] a core with the same pins if the chip is not a core: the pins do not show whether a router has
    /// something to do.
    std::vector<std::unique_ptr<chips::router_core>> models_;
    std::vector<engine::pins> model_pins_;  ///< one, of the models' outputs
    cycle last_move_ = 0;
    std::vector<engine::error_event> errors_;
    std::uint64_t error_count_ = 0;
    engine::observer* units_ = nullptr;
    engine::observer* all_ = nullptr;
};

/// Both must outlive the network.
host_factory ideal_hosts(const fabric::fabric_params& mesh, host::ideal_work& work);

}  // namespace polycast::hw::system
