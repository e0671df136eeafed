// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/link_module.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"

namespace polycast::tlm::modules {

link_module::link_module(const sc_core::sc_module_name& name, const hw::engine::link_params& params,
                         const sc_core::sc_time& period, run_state& state, std::optional<std::uint8_t> side_vc)
    : sc_module(name),
      in("in", 2),
      out("out", 2),
      params_(params),
      grid_(period),
      delay_(grid_.cycles(params.delay)),
      state_(state),
      side_vc_(side_vc) {
    for (int side = 0; side < 2; ++side) {
        const auto index = static_cast<std::size_t>(side);
        in[index].register_nb_transport_fw(this, &link_module::forward, side);
        out[index].register_nb_transport_bw(this, &link_module::credit, side);
    }
}

void link_module::join_end(std::size_t side, link_node& node, unsigned port, protocol::link_checker* checker) {
    if (checker == nullptr) {
        node.out[port].bind(in[side]);
    } else {
        node.out[port].bind(checker->in);
        checker->out.bind(in[side]);
    }
    out[side].bind(node.in[port]);
}

void link_module::join(link_node& a, unsigned a_port, link_node& b, unsigned b_port, protocol::link_checker* a_checker,
                       protocol::link_checker* b_checker) {
    const auto check_port = [&](const link_node& node, unsigned port) {
        if (port >= node.shape().ports) {
            throw hw::input_error(std::string(name()) + ": there is no port " + std::to_string(port) + " on " +
                                  node.name());
        }
    };
    check_port(a, a_port);
    check_port(b, b_port);
    if (a.shape().flit_bytes != b.shape().flit_bytes || a.shape().header_bytes != b.shape().header_bytes) {
        throw hw::input_error(std::string(name()) + ": flits of " + a.name() + " and " + b.name() +
                              " have different sizes");
    }
    if (a.shape().vcs != b.shape().vcs) {
        throw hw::input_error(std::string(name()) + ": " + a.name() + " and " + b.name() +
                              " have different numbers of virtual channels");
    }
    if (a.has_side(a_port) != b.has_side(b_port)) {
        throw hw::input_error(std::string(name()) + ": of port " + std::to_string(a_port) + " of " + a.name() +
                                  " and port " + std::to_string(b_port) + " of " + b.name() +
                                  " only one has side wires",
                              "join ports with side wires to each other");
    }
    if (a.has_side(a_port)) side_vc_ = a.shape().side_vc;
    join_end(0, a, a_port, a_checker);
    join_end(1, b, b_port, b_checker);
}

void link_module::direction::count_until(cycle end, unsigned chunk_flits) {
    while (!under_way.empty() && under_way.front().when < end) {
        const arrival& next = under_way.front();
        if (next.takes_place) {
            into.flit_arrived(next.when, next.head, chunk_flits);
        } else {
            into.uncredited_arrived(next.head);
        }
        under_way.pop_front();
    }
}

::tlm::tlm_sync_enum link_module::forward(int side, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
    const auto from = static_cast<std::size_t>(side);
    direction& way = towards_[1 - from];
    sc_core::sc_time arrival = delay + delay_;
    if (phase == protocol::side_phase) return out[1 - from]->nb_transport_fw(trans, phase, arrival);
    const auto* extension = trans.get_extension<protocol::link_extension>();
    if (extension == nullptr) {
        state_.fail(std::string(name()) + ": a flit without link_extension");
        return ::tlm::TLM_ACCEPTED;
    }
    // Credits still to come are for cycles after the present one.
    way.count_until(grid_.cycle_at(sc_core::sc_time_stamp()), params_.chunk_flits);
    if (way.under_way.full()) way.under_way.set_capacity(2 * way.under_way.capacity());
    way.under_way.push_back(
        {grid_.cycle_at(sc_core::sc_time_stamp() + arrival), extension->head, extension->vc != side_vc_});
    return out[1 - from]->nb_transport_fw(trans, phase, arrival);
}

/// The chip on `side` returns a credit for what arrived there.
::tlm::tlm_sync_enum link_module::credit(int side, ::tlm::tlm_generic_payload& trans, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
    const auto at = static_cast<std::size_t>(side);
    const cycle when = grid_.cycle_at(sc_core::sc_time_stamp() + delay);
    towards_[at].count_until(when, params_.chunk_flits);
    towards_[at].into.credit_returned(when);
    sc_core::sc_time arrival = delay + delay_;
    return in[1 - at]->nb_transport_bw(trans, phase, arrival);
}

hw::engine::link_statistics link_module::statistics(unsigned side, cycle now) const {
    direction way = towards_[side];
    way.count_until(now, params_.chunk_flits);
    way.into.occupy(std::max(now, way.into.since), 0);
    return way.into;
}

}  // namespace polycast::tlm::modules
