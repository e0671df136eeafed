// SPDX-License-Identifier: Apache-2.0
/// \file A full-duplex link: delay and statistics.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <optional>
#include <systemc>

#include "hw/engine/network.h"
#include "tlm/modules/link_node.h"
#include "tlm/modules/run_state.h"
#include "tlm/protocol/link_checker.h"

namespace polycast::tlm::modules {

/// Joins two ports. It has no process: a flit, credit or change of side wires goes on at once, with the delay added to
/// its annotated time.
/// Side 0 and side 1 are the two ends:
///
///     a.out[p] -> link.in[0]    link.out[0] -> a.in[p]
///     b.out[q] -> link.in[1]    link.out[1] -> b.in[q]
class link_module final : public sc_core::sc_module {
public:
    using cycle = hw::engine::cycle;

    sc_core::sc_vector<protocol::in_socket<link_module>> in;    ///< flits from the chip on side i
    sc_core::sc_vector<protocol::out_socket<link_module>> out;  ///< flits to the chip on side i

    /// `state` must outlive the module. `side_vc`: virtual channel whose flits take no buffer at the receiver, of a
    /// link with side wires; join() finds it. \throws input_error on a bad period.
    link_module(const sc_core::sc_module_name& name, const hw::engine::link_params& params,
                const sc_core::sc_time& period, run_state& state, std::optional<std::uint8_t> side_vc = {});

    /// Binds all four socket pairs to port `a_port` of `a` (side 0) and port `b_port` of `b` (side 1); a checker
    /// between its sender and the link. \throws input_error if there is no such port, or sizes of flits or numbers of
    /// virtual channels differ, or one port has side wires and the other none.
    void join(link_node& a, unsigned a_port, link_node& b, unsigned b_port, protocol::link_checker* a_checker = nullptr,
              protocol::link_checker* b_checker = nullptr);

    /// What arrived at the chip on side `side` before cycle `now`; the same numbers as
    /// hw::engine::network::statistics().
    hw::engine::link_statistics statistics(unsigned side, cycle now) const;

private:
    /// State of the direction towards one side.
    struct direction {
        struct arrival {
            cycle when;
            bool head;
            bool takes_place;
        };
        hw::engine::link_statistics into;
        boost::circular_buffer<arrival> under_way{8};  ///< announced, not counted yet: they lie ahead in time

        void count_until(cycle end, unsigned chunk_flits);
    };

    void join_end(std::size_t side, link_node& node, unsigned port, protocol::link_checker* checker);
    ::tlm::tlm_sync_enum forward(int side, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay);
    ::tlm::tlm_sync_enum credit(int side, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);

    hw::engine::link_params params_;
    protocol::cycle_grid grid_;
    sc_core::sc_time delay_;
    run_state& state_;
    std::optional<std::uint8_t> side_vc_;
    std::array<direction, 2> towards_;
};

}  // namespace polycast::tlm::modules
