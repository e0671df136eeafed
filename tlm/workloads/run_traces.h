// SPDX-License-Identifier: Apache-2.0
/// \file Waves and packet log of one network under simulation, with what they cost.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/trace/observers.h"
#include "tlm/trace/wave_recorder.h"
#include "tlm/trace/wave_trigger.h"
#include "tlm/workloads/instrumentation.h"
#include "tlm/workloads/packet_logs.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// "packet 4711 is dropped at switch3", for messages.
std::string text_of(const scenario::trigger_settings& trigger);

/// Whether the packet and the chip of a trigger are ones. \throws hw::input_error
void check_trigger(const scenario::loaded& scenario, const hw::topology::graph& network);

/// Whether the plan has the cables of `trace`. \throws hw::input_error
void check_traced_cables(const scenario::loaded& scenario, const hw::system::system_plan& plan);

/// What a wave file cost.
trace_cost cost_of(const trace::recording& done, double seconds);

/// Everything that is recorded of a run, as its instruments say.
class run_traces {
public:
    /// All outlive it. \throws hw::input_error when a file cannot be made
    run_traces(const instrumentation& instruments, const instance& on, const hw::system::system_plan& plan,
               const hw::engine::chip_network& network, const network_factory& factory);

    /// Is to be shown all steps of the network; null: nothing is recorded.
    hw::engine::observer* observer() { return all_.empty() ? nullptr : &all_; }

    /// Completes the files; `end` is the first cycle that did not happen. \throws hw::input_error when one cannot be
    /// written
    std::vector<trace_cost> finish(hw::engine::cycle end);

private:
    std::optional<trace::wave_trigger> trigger_;
    std::unique_ptr<trace::wave_recorder> recorder_;
    std::optional<logged_packets> packets_;
    std::optional<trace::packet_log> passages_;
    std::string wanted_;
    trace::observers waves_, all_;
    trace::timed_observer waves_timed_{waves_};
    std::optional<trace::timed_observer> packets_timed_;
};

}  // namespace polycast::tlm::sim
