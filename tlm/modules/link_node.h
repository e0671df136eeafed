// SPDX-License-Identifier: Apache-2.0
/// \file What every module with link sockets has in common: sockets, sending, and a clock that ticks only on demand.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/engine/network.h"
#include "tlm/modules/run_state.h"
#include "tlm/protocol/cycle_grid.h"
#include "tlm/protocol/link_protocol.h"
#include "tlm/protocol/payload_pool.h"

namespace polycast::tlm::modules {

struct module_params {
    sc_core::sc_time period{1, sc_core::SC_NS};  ///< of the clock; an even number of SystemC's time resolution
    std::optional<hw::engine::chip_id>
        number;  ///< in error events and for observers; by default in order of construction
};

/// A module with full-duplex ports, each a pair of sockets: flits leave through `out[p]` and their credits come back
/// there; flits arrive through `in[p]` and their credits leave there. An unbound port is open: what is sent there is
/// lost. Side wires go with the flits. Its one process runs in the middle of the cycles that wake_at() asked
/// for. What goes wrong in it, or in a callback, ends the run (run_state::fail).
class link_node : public sc_core::sc_module {
public:
    using cycle = hw::engine::cycle;

    sc_core::sc_vector<protocol::out_socket<link_node>> out;
    sc_core::sc_vector<protocol::in_socket<link_node>> in;

    SC_HAS_PROCESS(link_node);

    const hw::engine::pin_shape& shape() const { return shape_; }
    /// The port has side wires; flits of shape().side_vc need no credits there. Both sockets of such a port are bound.
    bool has_side(unsigned port) const { return sides_[port]; }
    const protocol::cycle_grid& grid() const { return grid_; }

protected:
    /// What runs step(): a method, or a thread, which may wait for less than half a clock period.
    enum class process_kind : std::uint8_t { method, thread };

    /// `state` must outlive the module. `sides`: ports with side wires, where shape.side_ports does not say. \throws
    /// input_error on a bad period, and where packets are events (`packet_ports`).
    link_node(const sc_core::sc_module_name& name, const hw::engine::pin_shape& shape, const sc_core::sc_time& period,
              run_state& state, std::vector<bool> sides = {}, process_kind kind = process_kind::method);

    /// Does the work of cycle `now`. May throw.
    virtual void step(cycle now) = 0;
    /// A flit is on the input pins of `port` in cycle `when`, which has not been sampled yet. Its bytes are valid
    /// during the call. May throw.
    virtual void flit_arrived(unsigned port, cycle when, const hw::engine::flit& flit) = 0;
    /// A credit of virtual channel `vc` is on the credit pin of `port` in cycle `when`. May throw.
    virtual void credit_arrived(unsigned port, cycle when, std::uint8_t vc) = 0;
    /// The side wires at `port`, which has them, change in cycle `when`. May throw.
    virtual void side_arrived(unsigned port, cycle when, const hw::engine::side_state& side) = 0;

    /// Asks for step(when), unless an earlier one is planned. \throws std::runtime_error beyond SystemC's time.
    void wake_at(cycle when);
    /// The cycle of the next step; never while asleep.
    cycle planned() const { return planned_; }
    /// Number of this module in `state`.
    std::size_t member() const { return member_; }

    bool sends(unsigned port) const { return bound_out_[port]; }
    /// Puts a flit on the output pins in cycle `when`. Nothing happens at an open port.
    void send_flit(unsigned port, cycle when, const hw::engine::flit& flit);
    /// Raises the credit pin in cycle `when`, for virtual channel `vc`.
    void send_credit(unsigned port, cycle when, std::uint8_t vc);
    /// Changes the side wires in cycle `when`.
    void send_side(unsigned port, cycle when, const hw::engine::side_state& side);

    /// To be thrown if a link delivers more in a cycle than it can carry.
    static std::runtime_error two_flits(unsigned port, cycle when);
    static std::runtime_error two_credits(unsigned port, cycle when);
    static std::runtime_error two_sides(unsigned port, cycle when);

    void end_of_elaboration() override;

    run_state& state_;

private:
    bool has_pins_for(std::uint8_t vc) const { return vc < (shape_.vcs == 1 ? 1 : hw::engine::max_vcs); }
    void activate();
    void activate_again();
    ::tlm::tlm_sync_enum receive(int port, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
    void receive_flit(unsigned port, const ::tlm::tlm_generic_payload& trans, const ::tlm::tlm_phase& phase,
                      cycle when);
    void receive_side(unsigned port, const ::tlm::tlm_generic_payload& trans, cycle when);
    void check_sides();
    ::tlm::tlm_sync_enum receive_credit(int port, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay);

    hw::engine::pin_shape shape_;
    protocol::cycle_grid grid_;
    protocol::payload_pool pool_;
    std::vector<bool> bound_out_;
    std::vector<bool> bound_in_;
    std::vector<bool> sides_;  ///< [port]
    bool checked_ = false;     ///< that sockets of side wires are bound
    sc_core::sc_event wake_;
    std::size_t member_;
    cycle planned_ = hw::engine::never;  ///< cycle for which wake_ will be notified
};

}  // namespace polycast::tlm::modules
