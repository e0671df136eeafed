// SPDX-License-Identifier: Apache-2.0
/// \file Chips and the links between them in SystemC, wherever each lives.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "hw/engine/network.h"
#include "tlm/modules/chip_module.h"
#include "tlm/modules/engine_module.h"
#include "tlm/modules/link_module.h"
#include "tlm/modules/run_state.h"
#include "tlm/protocol/link_checker.h"

namespace polycast::tlm::network {

/// Where a chip lives.
enum class placement : std::uint8_t {
    engine,  ///< with others in the one process of an engine_module
    module,  ///< in a SystemC module of its own
};

/// Checks what a chip of this shape sends at `port`, with `credits` of each virtual channel; a violation ends the run
/// as a failure.
std::unique_ptr<protocol::link_checker> make_checker(const std::string& name, const sc_core::sc_time& period,
                                                     const hw::engine::pin_shape& shape, unsigned port,
                                                     std::vector<unsigned> credits, unsigned chunk_flits,
                                                     modules::run_state& state);

/// Links between two chips in the engine are the engine's; all others are link_modules. Made in the constructor of the
/// module that is to be their parent, or at the top.
class sc_chips {
public:
    using cycle = hw::engine::cycle;

    /// `checkers`: a link_checker at every sender of a TLM link; a violation ends the run as a failure. `strangers`:
    /// some modules are told what to do from outside, at any time, so the engine does not run ahead of them. `threads`:
    /// of the engine; modules are stepped by the kernel's. `state` must outlive the chips.
    sc_chips(const sc_core::sc_time& period, bool checkers, modules::run_state& state, bool strangers = false,
             hw::engine::threading threads = {});
    ~sc_chips();
    sc_chips(const sc_chips&) = delete;
    sc_chips& operator=(const sc_chips&) = delete;

    /// \returns its number, in the order of calls. `name` is for messages; SystemC's must not contain everything that
    /// one of them may.
    hw::engine::chip_id add(std::unique_ptr<hw::engine::chip> chip, const std::string& name,
                            const std::string& module_name, placement where);
    /// The same of a module that is made already, with its number; it must outlive the chips.
    hw::engine::chip_id add(modules::chip_module& module, const std::string& name);
    /// Joins two ports. `a_credits`, `b_credits`: [virtual channel] that the sender at an end has; for checkers.
    void connect(hw::engine::port_id a, hw::engine::port_id b, const hw::engine::link_params& params,
                 std::vector<unsigned> a_credits, std::vector<unsigned> b_credits);
    /// Makes the links, behind the last of both. \throws input_error if two ports cannot be joined
    void build();

    std::size_t size() const { return places_.size(); }
    const hw::engine::chip& at(hw::engine::chip_id id) const { return *places_[id].chip; }
    const std::string& name(hw::engine::chip_id id) const { return places_[id].name; }
    /// The other end of a link.
    hw::engine::port_id peer(hw::engine::port_id port) const { return places_[port.chip].peers[port.port]; }
    /// Of the link into a port, occupancy counted up to `now`.
    hw::engine::link_statistics statistics(hw::engine::port_id port, cycle now) const;

private:
    /// A chip and where it is.
    struct place {
        const hw::engine::chip* chip = nullptr;
        std::string name;
        modules::chip_module* module = nullptr;    ///< null: in the engine
        hw::engine::chip_id in_engine = 0;         ///< number there
        std::vector<hw::engine::port_id> peers;    ///< [port]
        std::vector<modules::link_module*> links;  ///< [port]; null: the engine's, or open
        std::vector<unsigned> sides;               ///< [port] of its link
    };
    struct cable {
        hw::engine::port_id a, b;
        hw::engine::link_params params;
        std::vector<unsigned> a_credits, b_credits;
    };

    place& new_place(const hw::engine::chip& chip, const std::string& name);
    bool in_engine(hw::engine::chip_id id) const { return places_[id].module == nullptr; }
    void check_port(hw::engine::port_id port) const;
    void make_engine();
    void join(const cable& wire, std::size_t index);
    protocol::link_checker* checker_at(hw::engine::port_id from, const std::vector<unsigned>& credits,
                                       unsigned chunk_flits, std::size_t number);
    modules::link_node& node_of(hw::engine::port_id port, unsigned& node_port);

    sc_core::sc_time period_;
    bool checked_;
    bool strangers_;
    modules::run_state& state_;
    std::vector<place> places_;  ///< [chip]
    std::vector<cable> cables_;
    std::vector<std::unique_ptr<modules::chip_module>> chips_;
    std::unique_ptr<hw::engine::network> island_;  ///< until engine_ has it
    std::vector<hw::engine::port_id> exits_;       ///< ports of the network that lead out of the engine
    std::unique_ptr<modules::engine_module> engine_;
    std::vector<std::unique_ptr<modules::link_module>> links_;
    std::vector<std::unique_ptr<protocol::link_checker>> checkers_;
};

}  // namespace polycast::tlm::network
